"""Types of alarms (Aodh)."""
