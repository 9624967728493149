"""Whisper by faster-whisper and CTranslate2 (extra ``whisper``): a transcript and draws."""
