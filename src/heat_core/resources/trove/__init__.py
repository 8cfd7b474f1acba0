"""Types of databases (Trove)."""
