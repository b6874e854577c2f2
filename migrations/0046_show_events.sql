ALTER TABLE `advisories` ADD `shown_events` text;

--> statement-breakpoint
CREATE TRIGGER advisory_events_show_insert AFTER INSERT ON advisory_events BEGIN
	UPDATE advisories SET shown_events = (
		SELECT iif(count <= 10 AND octet_length(events) <= 2000, events, NULL)
		FROM (SELECT json_group_array(json_object('uid', "uid", 'createTime', "create_time",
	'updateTime', "update_time", 'author', "author", 'reviewer', "reviewer", 'reviewState', "review_state",
	'issue', "issue", 'type', "type", 'detail', json("detail"), 'findings', "findings", 'byHand', "by_hand")) AS events, count(*) AS count FROM (
			SELECT * FROM advisory_events WHERE advisory_uid = NEW.advisory_uid LIMIT 11)))
	WHERE uid = NEW.advisory_uid AND (shown_events IS NOT NULL OR 10 >= (SELECT count(*) FROM (
		SELECT 1 FROM advisory_events WHERE advisory_uid = NEW.advisory_uid LIMIT 11)));
END;
--> statement-breakpoint
CREATE TRIGGER advisory_events_show_update AFTER UPDATE ON advisory_events BEGIN
	UPDATE advisories SET shown_events = (
		SELECT iif(count <= 10 AND octet_length(events) <= 2000, events, NULL)
		FROM (SELECT json_group_array(json_object('uid', "uid", 'createTime', "create_time",
	'updateTime', "update_time", 'author', "author", 'reviewer', "reviewer", 'reviewState', "review_state",
	'issue', "issue", 'type', "type", 'detail', json("detail"), 'findings', "findings", 'byHand', "by_hand")) AS events, count(*) AS count FROM (
			SELECT * FROM advisory_events WHERE advisory_uid = NEW.advisory_uid LIMIT 11)))
	WHERE uid = NEW.advisory_uid AND (shown_events IS NOT NULL OR 10 >= (SELECT count(*) FROM (
		SELECT 1 FROM advisory_events WHERE advisory_uid = NEW.advisory_uid LIMIT 11)));
END;
--> statement-breakpoint
CREATE TRIGGER advisory_events_show_delete AFTER DELETE ON advisory_events BEGIN
	UPDATE advisories SET shown_events = NULL WHERE uid = OLD.advisory_uid AND shown_events IS NOT NULL;
END;
