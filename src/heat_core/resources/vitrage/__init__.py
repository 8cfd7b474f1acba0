"""Types of root cause analysis (Vitrage)."""
