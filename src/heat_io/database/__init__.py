"""Heat's database: tables, migrations, one module an aggregate, and the write lanes."""

from heat_io.database.verdicts import Applied, Indeterminate, Lost, Verdict, Write

__all__ = ["Applied", "Indeterminate", "Lost", "Verdict", "Write"]
