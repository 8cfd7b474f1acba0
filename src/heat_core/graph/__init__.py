"""heat_core.graph"""
