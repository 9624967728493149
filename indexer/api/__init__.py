"""Indexing from Python: what std-index and std-store do, as functions that return values.

`indexer.api.indexing`, to index and manage files:

    index_files          recogniser output -> an index; may also delete and merge
    preview_files        the result of indexing files, without an index
    delete_recordings    delete audio files from an index
    rename_recording     rename an audio file
    merge_segments       merge the segments of an index into as few as possible
    clean_up             remove replaced segments at once

`indexer.api.folders`, an index that follows a folder:

    sync_folder          apply the changes in a folder to an index
    relink_inputs        store the new places of inputs
    move_audio           store the places of the recordings' audio
    watch_folder         index files that appear in a folder

`indexer.api.corrections`, corrections by a person:

    correct_recording    correct words of a recording
    correct_by_table     correct words by a table
    rewrite_transcript   write the corrections into a person's own file
    undo_corrections     restore the recogniser's words
    list_corrections     list the corrections

The content of an index is read by `indexer.contents`, `indexer.export` and `indexer.transcripts`.
A store is a folder, ``memory:`` or ``couchdb://host/database``; an index is one store or several,
its shards.
"""
