"""Buttons that are on or off."""


def pressed(label: str, on: bool) -> str:
    """The label of a button that is on or off.

    Bold is what our CSS knows it by: a button of another type is another element, which takes the focus away.
    """
    return f"**{label}**" if on else label
