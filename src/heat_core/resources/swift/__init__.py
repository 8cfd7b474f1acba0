"""Types of object storage (Swift)."""
