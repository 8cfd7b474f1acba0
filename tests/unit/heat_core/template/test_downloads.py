"""Contents that are fetched for a template."""

import pytest

from heat_core.template import LOCAL_SCHEMES, REMOTE_SCHEMES, Downloads, FetchFailed, Template

URL = "https://example.org/t"


def test_what_is_missing_is_noted_until_it_is_there() -> None:
    downloads = Downloads()
    with pytest.raises(FetchFailed, match=f"Failed to retrieve template from {URL}"):
        downloads.get(URL)
    assert downloads.missing == {URL: REMOTE_SCHEMES}
    downloads.put(URL, "text")
    assert downloads.missing == {}
    assert downloads.get(URL) == "text"


def test_what_cannot_be_had_is_not_missing() -> None:
    downloads = Downloads()
    downloads.put_problem(URL, "no route")
    with pytest.raises(FetchFailed, match="no route"):
        downloads.get(URL)
    assert downloads.missing == {}


@pytest.mark.parametrize("address", ["ftp://h/x", "file:///etc/x", "name.yaml"])
def test_schemes_that_are_not_allowed(address: str) -> None:
    downloads = Downloads({address: "text"})
    with pytest.raises(FetchFailed, match="Invalid URL scheme"):
        downloads.get(address)
    assert downloads.missing == {}


def test_local_files_where_they_are_allowed() -> None:
    downloads = Downloads({"file:///etc/x": "text"})
    assert downloads.get("file:///etc/x", (*REMOTE_SCHEMES, *LOCAL_SCHEMES)) == "text"


def test_templates_made_of_a_template_share_them() -> None:
    template = Template({"heat_template_version": "2018-08-31"})
    assert template.without_resources().downloads is template.downloads
