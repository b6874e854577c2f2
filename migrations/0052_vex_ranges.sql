ALTER TABLE `vex_subjects` ADD `csaf` text;--> statement-breakpoint
ALTER TABLE `vex_subjects` DROP COLUMN `product_version`;--> statement-breakpoint
DROP TRIGGER advisories_insert_products;
--> statement-breakpoint
DROP TRIGGER advisories_update_products;
--> statement-breakpoint
CREATE TRIGGER advisories_insert_products AFTER INSERT ON advisories BEGIN
	INSERT OR IGNORE INTO advisory_products (alias, product, group_uid, advisory_uid)
	SELECT upper(id.value), product.name, NEW.parent, NEW.uid
	FROM (SELECT value FROM json_each(NEW.aliases) UNION SELECT NEW.advisory_id) AS id
	CROSS JOIN (SELECT NEW.artifact_name AS name UNION SELECT substr(NEW.artifact_name, length(rtrim(NEW.artifact_name, replace(NEW.artifact_name, '/', ''))) + 1) WHERE NEW.artifact_type = 'image') AS product
	WHERE NEW.source <> 'osv';
END;
--> statement-breakpoint
CREATE TRIGGER advisories_update_products AFTER UPDATE OF aliases, artifact_name, artifact_type, advisory_id, source ON advisories WHEN OLD.aliases <> NEW.aliases OR OLD.artifact_name <> NEW.artifact_name OR OLD.artifact_type <> NEW.artifact_type OR OLD.advisory_id <> NEW.advisory_id OR OLD.source <> NEW.source BEGIN
	DELETE FROM advisory_products WHERE advisory_uid = OLD.uid;
	INSERT OR IGNORE INTO advisory_products (alias, product, group_uid, advisory_uid)
	SELECT upper(id.value), product.name, NEW.parent, NEW.uid
	FROM (SELECT value FROM json_each(NEW.aliases) UNION SELECT NEW.advisory_id) AS id
	CROSS JOIN (SELECT NEW.artifact_name AS name UNION SELECT substr(NEW.artifact_name, length(rtrim(NEW.artifact_name, replace(NEW.artifact_name, '/', ''))) + 1) WHERE NEW.artifact_type = 'image') AS product
	WHERE NEW.source <> 'osv';
END;
--> statement-breakpoint
INSERT OR IGNORE INTO advisory_products (alias, product, group_uid, advisory_uid)
	SELECT product.alias, substr(product.product, length(rtrim(product.product, replace(product.product, '/', ''))) + 1),
		product.group_uid, product.advisory_uid
	FROM advisory_products AS product CROSS JOIN advisories ON advisories.uid = product.advisory_uid
	WHERE advisories.artifact_type = 'image' AND product.product LIKE '%/%';
