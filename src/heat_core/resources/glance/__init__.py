"""Types of images (Glance)."""
