"""Types of secrets (Barbican)."""
