"""The story that entrepot's own recording tells: a steelworks that sells steel, five days in March 2026.

Everything here but :mod:`.recording` is a pure function of the seed: a list of steps in the order of a simulated clock.
"""
