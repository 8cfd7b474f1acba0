"""Types of containers (Zun)."""
