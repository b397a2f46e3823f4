"""Play societies from Python, in a script or in a notebook: what `import society` offers.

    import society

    result = society.run("fishing_village", seed=1, replicates=20, parameters={"growth": 0.2})
    result.measures["survival"].mean
    result.rounds                       # a tidy pandas frame, with units in its attrs

Whatever a scenario file can name may be given as an object: scenarios, components, mechanisms and
graph functions that are defined in a notebook cell need no file.
"""
