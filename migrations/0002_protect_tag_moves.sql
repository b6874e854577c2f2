-- Tag history is append-only: a record of where a tag pointed never changes.
CREATE TRIGGER tag_moves_no_update BEFORE UPDATE ON tag_moves BEGIN
	SELECT RAISE(ABORT, 'tag_moves is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER tag_moves_no_delete BEFORE DELETE ON tag_moves BEGIN
	SELECT RAISE(ABORT, 'tag_moves is append-only');
END;
