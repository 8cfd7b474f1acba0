"""heat_core.template"""
