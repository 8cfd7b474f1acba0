"""Types of block storage (Cinder)."""
