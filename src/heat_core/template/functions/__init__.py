"""The intrinsic functions, a module a family; heat_core.template.versions says who has which."""
