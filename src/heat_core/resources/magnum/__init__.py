"""Types of container clusters (Magnum)."""
