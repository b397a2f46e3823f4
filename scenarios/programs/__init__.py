"""Populations of programs: strategies written as code, played by the thousand in jailed workers."""
