"""The files that pass between the phases: NIST's ECF, RTTM, term lists and hit lists."""
