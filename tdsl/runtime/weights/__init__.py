"""Weights from files and objects, and how they are bound to the fields of a struct."""
