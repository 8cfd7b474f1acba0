"""Types of reservations (Blazar)."""
