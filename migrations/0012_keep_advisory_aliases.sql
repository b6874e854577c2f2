-- Updates advisory_aliases in the transaction of the change, and fills it from the existing rows.

INSERT OR IGNORE INTO advisory_aliases (alias, advisory_uid)
SELECT alias.value, advisories.uid FROM advisories, json_each(advisories.aliases) AS alias;
--> statement-breakpoint
CREATE TRIGGER advisories_insert_aliases AFTER INSERT ON advisories BEGIN
	INSERT OR IGNORE INTO advisory_aliases (alias, advisory_uid)
	SELECT alias.value, NEW.uid FROM json_each(NEW.aliases) AS alias;
END;
--> statement-breakpoint
CREATE TRIGGER advisories_update_aliases AFTER UPDATE OF aliases ON advisories WHEN OLD.aliases <> NEW.aliases BEGIN
	DELETE FROM advisory_aliases
	WHERE advisory_uid = NEW.uid AND alias IN (SELECT value FROM json_each(OLD.aliases));
	INSERT OR IGNORE INTO advisory_aliases (alias, advisory_uid)
	SELECT alias.value, NEW.uid FROM json_each(NEW.aliases) AS alias;
END;
--> statement-breakpoint
CREATE TRIGGER advisories_delete_aliases AFTER DELETE ON advisories BEGIN
	DELETE FROM advisory_aliases
	WHERE advisory_uid = OLD.uid AND alias IN (SELECT value FROM json_each(OLD.aliases));
END;
