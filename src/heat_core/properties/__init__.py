"""heat_core.properties"""
