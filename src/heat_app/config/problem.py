"""What keeps a process from starting, in a sentence that says what to change."""

__all__ = ["ConfigurationProblem"]


class ConfigurationProblem(ValueError):
    """The configuration can't be used. The text is a sentence for who wrote it, without secrets."""
