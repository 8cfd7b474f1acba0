from heat_core.properties import Support, SupportStatus


def test_the_form_that_users_see() -> None:
    support = Support(
        SupportStatus.HIDDEN, "5.0.0", previous=Support(SupportStatus.DEPRECATED, "2014.2", "Why.")
    )

    assert support.hidden
    assert support.as_dict() == {
        "status": "HIDDEN",
        "version": "5.0.0",
        "message": None,
        "previous_status": {
            "status": "DEPRECATED",
            "version": "2014.2",
            "message": "Why.",
            "previous_status": None,
        },
    }


def test_supported_by_default() -> None:
    assert Support().as_dict()["status"] == "SUPPORTED"
    assert not Support().hidden
