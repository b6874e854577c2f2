CREATE INDEX `identities_by_kind` ON `identities` (`relationship_type`,`uid`) WHERE "relationship_type" <> 0;--> statement-breakpoint
CREATE INDEX `advisories_of_parent_by_aliases` ON `advisories` (`parent_key`,`alias_order`,`step`);--> statement-breakpoint
CREATE INDEX `advisories_of_parent_by_deleted` ON `advisories` (`parent_key`,`delete_order`,`step`);--> statement-breakpoint
CREATE INDEX `advisories_above0_by_aliases` ON `advisories` (`above0`,`alias_order`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above0_by_deleted` ON `advisories` (`above0`,`delete_order`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above1_by_aliases` ON `advisories` (`above1`,`alias_order`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above1_by_deleted` ON `advisories` (`above1`,`delete_order`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above2_by_aliases` ON `advisories` (`above2`,`alias_order`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above2_by_deleted` ON `advisories` (`above2`,`delete_order`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above3_by_aliases` ON `advisories` (`above3`,`alias_order`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `advisories_above3_by_deleted` ON `advisories` (`above3`,`delete_order`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_of_parent_by_artifact_uid` ON `artifacts` (`parent_key`,`ecosystem`,`artifact_uid`,`step`);--> statement-breakpoint
CREATE INDEX `artifacts_key0_by_artifact_uid` ON `artifacts` (`key0`,`ecosystem`,`artifact_uid`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key1_by_artifact_uid` ON `artifacts` (`key1`,`ecosystem`,`artifact_uid`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key2_by_artifact_uid` ON `artifacts` (`key2`,`ecosystem`,`artifact_uid`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key3_by_artifact_uid` ON `artifacts` (`key3`,`ecosystem`,`artifact_uid`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key4_by_artifact_uid` ON `artifacts` (`key4`,`ecosystem`,`artifact_uid`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_key5_by_artifact_uid` ON `artifacts` (`key5`,`ecosystem`,`artifact_uid`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX `artifacts_remediated_of_parent_by_name` ON `artifacts` (`parent_key`,`ecosystem`,`name`,`step`) WHERE "remediated" = 1;--> statement-breakpoint
CREATE INDEX `artifacts_remediated_key0_by_name` ON `artifacts` (`key0`,`ecosystem`,`name`,`step`) WHERE "key0" is not null and "remediated" = 1;--> statement-breakpoint
CREATE INDEX `artifacts_remediated_key1_by_name` ON `artifacts` (`key1`,`ecosystem`,`name`,`step`) WHERE "key1" is not null and "remediated" = 1;--> statement-breakpoint
CREATE INDEX `artifacts_remediated_key2_by_name` ON `artifacts` (`key2`,`ecosystem`,`name`,`step`) WHERE "key2" is not null and "remediated" = 1;--> statement-breakpoint
CREATE INDEX `artifacts_remediated_key3_by_name` ON `artifacts` (`key3`,`ecosystem`,`name`,`step`) WHERE "key3" is not null and "remediated" = 1;--> statement-breakpoint
CREATE INDEX `artifacts_remediated_key4_by_name` ON `artifacts` (`key4`,`ecosystem`,`name`,`step`) WHERE "key4" is not null and "remediated" = 1;--> statement-breakpoint
CREATE INDEX `artifacts_remediated_key5_by_name` ON `artifacts` (`key5`,`ecosystem`,`name`,`step`) WHERE "key5" is not null and "remediated" = 1;
