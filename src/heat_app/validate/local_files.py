"""Templates, environments and the files that they name, as the clients send them.

python-heatclient names every file by its URL, `file:///...` for what is on this machine, and puts
that URL in the place of each `get_file` and of each `type` that ends with .yaml or .template; files
that are templates are treated alike and sent as JSON. So the texts of errors and the keys of
`files` are those of a stack made with `openstack stack create`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from heat_core.environment import parse_environment, with_all_sections
from heat_core.stack.sources import Sources
from heat_core.template import parse_text

_TEMPLATE_SUFFIXES = (".yaml", ".template")
_NO_FILES = frozenset({"base_url", "hooks", "restricted_actions"})


class Unreadable(Exception):
    """A file that is there cannot be read, or one that the command line names is not there."""


class MissingFile(Exception):
    """A template or environment names a file that isn't there, or that is not on this machine."""

    def __init__(self, url: str, named: str, named_in: str) -> None:
        super().__init__(f"Could not fetch contents for {url}")
        self.url = url
        self.named = named
        self.named_in = named_in


class NotParsed(Exception):
    """A file's text is no template or environment."""

    def __init__(self, url: str, text: str) -> None:
        super().__init__(text)
        self.url = url


class _NotThere(Exception):
    """There is no such file."""


@dataclass(slots=True)
class LocalFiles:
    """What has been read: `sent` as a client would send it, `texts` as it is, both by URL."""

    sent: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    _open: set[str] = field(default_factory=set)

    # --- templates -------------------------------------------------------------------------

    def template(self, url: str) -> dict[str, Any]:
        """The template behind the URL, its files read; NotParsed for a text that is none."""
        text = self._text(url)
        try:
            document: dict[str, Any] = parse_text(text)
        except ValueError as error:
            raise NotParsed(url, str(error)) from None
        self._open.add(url)
        self._read_named(document, url)
        self._open.discard(url)
        return document

    def _read_named(self, tree: Any, url: str) -> None:
        """Read the files that the tree names, and put their URLs in."""
        if isinstance(tree, dict):
            for key, value in tree.items():
                if _names_file(key, value):
                    tree[key] = self._add(value, url, url)
                else:
                    self._read_named(value, url)
        elif isinstance(tree, list):
            for value in tree:
                self._read_named(value, url)

    def _add(self, named: str, base_url: str, named_in: str) -> str:
        """Read one file; its URL."""
        try:
            url = urljoin(base_url, named)
        except ValueError:  # no URL at all
            raise MissingFile(named, named, named_in) from None
        # A template that contains itself is there already, when it comes to itself.
        if url not in self.sent and url not in self._open:
            try:
                text = self._text(url)
            except _NotThere:
                raise MissingFile(url, named, named_in) from None
            self.sent[url] = text
            if _is_template(text):
                self.sent[url] = as_sent(self.template(url), url)
        return url

    # --- environments ----------------------------------------------------------------------

    def environment(self, url: str) -> dict[str, Any]:
        """The environment behind the URL, with the files of its registry read, as it is sent."""
        text = self._text(url)
        try:
            environment = parse_environment(text)
        except ValueError as error:
            raise NotParsed(url, str(error)) from None
        registry = environment.get("resource_registry")
        if isinstance(registry, dict):
            base_url = urljoin(url, str(registry.get("base_url", "")))
            self._read_registry(registry, base_url, url)
            resources = registry.get("resources")
            for entry in resources.values() if isinstance(resources, dict) else ():
                if isinstance(entry, dict):
                    own = urljoin(base_url, str(entry.get("base_url", "")))
                    self._read_registry(entry, own, url)
        self.sent[url] = as_sent(environment, url)
        return environment

    def _read_registry(self, entries: dict[str, Any], base_url: str, url: str) -> None:
        for name, value in entries.items():
            if name in _NO_FILES or not isinstance(value, str) or "::" in value:
                continue
            entries[name] = self._add(value, base_url, url)

    # --- reading ---------------------------------------------------------------------------

    def _text(self, url: str) -> str:
        """What is behind a URL. _NotThere when it is no file of this machine, Unreadable."""
        if url not in self.texts:
            path = _path_of(url)
            if path is None or not path.is_file():
                raise _NotThere
            try:
                self.texts[url] = _decoded(path.read_bytes())
            except OSError as error:
                raise Unreadable(f"{path_shown(url)} cannot be read: {error.strerror}") from None
        return self.texts[url]


def as_sent(document: Any, url: str) -> str:
    """A document as a request has it. NotParsed for what YAML can say and JSON cannot."""
    try:
        return json.dumps(document)
    except TypeError as error:
        raise NotParsed(url, f"only what JSON has can be sent: {error}") from None


def _names_file(key: Any, value: Any) -> bool:
    if not isinstance(value, str):
        return False
    return key == "get_file" or (key == "type" and value.endswith(_TEMPLATE_SUFFIXES))


def _is_template(text: str) -> bool:
    try:
        parse_text(text)
    except (ValueError, TypeError):
        return False
    return True


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return base64.encodebytes(content).decode("ascii")


def url_of(path: str) -> str:
    """A path as a URL; a URL as it is."""
    return path if urlsplit(path).scheme else Path(path).resolve().as_uri()


def _path_of(url: str) -> Path | None:
    """The path of a file of this machine; None for any other URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or "\0" in parts.path:
        return None
    return Path(unquote(parts.path))


def path_shown(url: str) -> str:
    """A URL as a path, relative to the current directory where it is below."""
    path = _path_of(url)
    if path is None:
        return url
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def read_sources(
    files: LocalFiles, template: str, environments: Sequence[str], parameters: Mapping[str, Any]
) -> Sources:
    """All that a request would bring, read from this machine.

    `template` and `environments` are URLs. Raises Unreadable, MissingFile, NotParsed.
    """
    # As it arrives: keys that are numbers are text then.
    document = json.loads(as_sent(_opened(files.template, template), template))
    for url in environments:
        _opened(files.environment, url)
    return Sources(
        template=document,
        environment=with_all_sections({"parameters": dict(parameters)}),
        files=files.sent,
        environment_files=tuple(environments),
    )


def _opened[T](read: Callable[[str], T], url: str) -> T:
    try:
        return read(url)
    except _NotThere:
        raise Unreadable(f"there is no file {path_shown(url)}") from None
