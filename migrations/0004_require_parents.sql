-- A row can only be written below an existing parent, even if another call deletes the parent in between.

CREATE TRIGGER groups_require_parent BEFORE INSERT ON groups WHEN length(NEW.uid) > 40 AND NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER identities_require_parent BEFORE INSERT ON identities WHEN length(NEW.uid) > 40 AND NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER roles_require_parent BEFORE INSERT ON roles WHEN length(NEW.uid) > 40 AND NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER role_bindings_require_parent BEFORE INSERT ON role_bindings WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER repos_require_parent BEFORE INSERT ON repos WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER advisories_require_parent BEFORE INSERT ON advisories WHEN NOT EXISTS (SELECT 1 FROM groups WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER tags_require_parent BEFORE INSERT ON tags WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
--> statement-breakpoint
CREATE TRIGGER manifests_require_parent BEFORE INSERT ON manifests WHEN NOT EXISTS (SELECT 1 FROM repos WHERE uid = substr(NEW.uid, 1, length(NEW.uid) - 17)) BEGIN
	SELECT RAISE(ABORT, 'parent is gone');
END;
