CREATE INDEX IF NOT EXISTS `account_associations_of_parent_by_created` ON `account_associations` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `account_associations_of_parent_by_updated` ON `account_associations` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `account_associations_of_parent_by_name` ON `account_associations` (`parent_key`,`name`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `account_associations_above0_by_created` ON `account_associations` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `account_associations_above0_by_updated` ON `account_associations` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `account_associations_above0_by_name` ON `account_associations` (`above0`,`name`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `account_associations_above1_by_created` ON `account_associations` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `account_associations_above1_by_updated` ON `account_associations` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `account_associations_above1_by_name` ON `account_associations` (`above1`,`name`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `account_associations_above2_by_created` ON `account_associations` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `account_associations_above2_by_updated` ON `account_associations` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `account_associations_above2_by_name` ON `account_associations` (`above2`,`name`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `account_associations_above3_by_created` ON `account_associations` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `account_associations_above3_by_updated` ON `account_associations` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `account_associations_above3_by_name` ON `account_associations` (`above3`,`name`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_of_parent_by_created` ON `advisories` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_of_parent_by_updated` ON `advisories` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_of_parent_by_advisory` ON `advisories` (`parent_key`,`advisory_id`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_of_parent_by_artifact` ON `advisories` (`parent_key`,`artifact_name`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_of_parent_by_aliases` ON `advisories` (`parent_key`,`alias_order`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_of_parent_by_deleted` ON `advisories` (`parent_key`,`delete_order`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above0_by_created` ON `advisories` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above0_by_updated` ON `advisories` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above0_by_advisory` ON `advisories` (`above0`,`advisory_id`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above0_by_artifact` ON `advisories` (`above0`,`artifact_name`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above0_by_aliases` ON `advisories` (`above0`,`alias_order`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above0_by_deleted` ON `advisories` (`above0`,`delete_order`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above1_by_created` ON `advisories` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above1_by_updated` ON `advisories` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above1_by_advisory` ON `advisories` (`above1`,`advisory_id`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above1_by_artifact` ON `advisories` (`above1`,`artifact_name`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above1_by_aliases` ON `advisories` (`above1`,`alias_order`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above1_by_deleted` ON `advisories` (`above1`,`delete_order`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above2_by_created` ON `advisories` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above2_by_updated` ON `advisories` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above2_by_advisory` ON `advisories` (`above2`,`advisory_id`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above2_by_artifact` ON `advisories` (`above2`,`artifact_name`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above2_by_aliases` ON `advisories` (`above2`,`alias_order`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above2_by_deleted` ON `advisories` (`above2`,`delete_order`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above3_by_created` ON `advisories` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above3_by_updated` ON `advisories` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above3_by_advisory` ON `advisories` (`above3`,`advisory_id`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above3_by_artifact` ON `advisories` (`above3`,`artifact_name`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above3_by_aliases` ON `advisories` (`above3`,`alias_order`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisories_above3_by_deleted` ON `advisories` (`above3`,`delete_order`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisory_documents_of_parent_by_created` ON `advisory_documents` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisory_documents_of_parent_by_updated` ON `advisory_documents` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisory_documents_of_parent_by_origin` ON `advisory_documents` (`parent_key`,`origin`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisory_documents_above0_by_created` ON `advisory_documents` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisory_documents_above0_by_updated` ON `advisory_documents` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisory_documents_above0_by_origin` ON `advisory_documents` (`above0`,`origin`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisory_documents_above1_by_created` ON `advisory_documents` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisory_documents_above1_by_updated` ON `advisory_documents` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisory_documents_above1_by_origin` ON `advisory_documents` (`above1`,`origin`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisory_documents_above2_by_created` ON `advisory_documents` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisory_documents_above2_by_updated` ON `advisory_documents` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisory_documents_above2_by_origin` ON `advisory_documents` (`above2`,`origin`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisory_documents_above3_by_created` ON `advisory_documents` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisory_documents_above3_by_updated` ON `advisory_documents` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `advisory_documents_above3_by_origin` ON `advisory_documents` (`above3`,`origin`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_of_parent_by_created` ON `artifacts` (`parent_key`,`ecosystem`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_of_parent_by_updated` ON `artifacts` (`parent_key`,`ecosystem`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_of_parent_by_name` ON `artifacts` (`parent_key`,`ecosystem`,`name`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_of_parent_by_artifact_uid` ON `artifacts` (`parent_key`,`ecosystem`,`artifact_uid`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key0_by_created` ON `artifacts` (`key0`,`ecosystem`,`create_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key0_by_updated` ON `artifacts` (`key0`,`ecosystem`,`update_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key0_by_name` ON `artifacts` (`key0`,`ecosystem`,`name`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key0_by_artifact_uid` ON `artifacts` (`key0`,`ecosystem`,`artifact_uid`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key1_by_created` ON `artifacts` (`key1`,`ecosystem`,`create_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key1_by_updated` ON `artifacts` (`key1`,`ecosystem`,`update_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key1_by_name` ON `artifacts` (`key1`,`ecosystem`,`name`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key1_by_artifact_uid` ON `artifacts` (`key1`,`ecosystem`,`artifact_uid`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key2_by_created` ON `artifacts` (`key2`,`ecosystem`,`create_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key2_by_updated` ON `artifacts` (`key2`,`ecosystem`,`update_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key2_by_name` ON `artifacts` (`key2`,`ecosystem`,`name`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key2_by_artifact_uid` ON `artifacts` (`key2`,`ecosystem`,`artifact_uid`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key3_by_created` ON `artifacts` (`key3`,`ecosystem`,`create_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key3_by_updated` ON `artifacts` (`key3`,`ecosystem`,`update_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key3_by_name` ON `artifacts` (`key3`,`ecosystem`,`name`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key3_by_artifact_uid` ON `artifacts` (`key3`,`ecosystem`,`artifact_uid`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key4_by_created` ON `artifacts` (`key4`,`ecosystem`,`create_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key4_by_updated` ON `artifacts` (`key4`,`ecosystem`,`update_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key4_by_name` ON `artifacts` (`key4`,`ecosystem`,`name`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key4_by_artifact_uid` ON `artifacts` (`key4`,`ecosystem`,`artifact_uid`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key5_by_created` ON `artifacts` (`key5`,`ecosystem`,`create_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key5_by_updated` ON `artifacts` (`key5`,`ecosystem`,`update_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key5_by_name` ON `artifacts` (`key5`,`ecosystem`,`name`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_key5_by_artifact_uid` ON `artifacts` (`key5`,`ecosystem`,`artifact_uid`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_remediated_of_parent_by_name` ON `artifacts` (`parent_key`,`ecosystem`,`name`,`step`) WHERE "remediated" = 1;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_remediated_key0_by_name` ON `artifacts` (`key0`,`ecosystem`,`name`,`step`) WHERE "key0" is not null and "remediated" = 1;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_remediated_key1_by_name` ON `artifacts` (`key1`,`ecosystem`,`name`,`step`) WHERE "key1" is not null and "remediated" = 1;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_remediated_key2_by_name` ON `artifacts` (`key2`,`ecosystem`,`name`,`step`) WHERE "key2" is not null and "remediated" = 1;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_remediated_key3_by_name` ON `artifacts` (`key3`,`ecosystem`,`name`,`step`) WHERE "key3" is not null and "remediated" = 1;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_remediated_key4_by_name` ON `artifacts` (`key4`,`ecosystem`,`name`,`step`) WHERE "key4" is not null and "remediated" = 1;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `artifacts_remediated_key5_by_name` ON `artifacts` (`key5`,`ecosystem`,`name`,`step`) WHERE "key5" is not null and "remediated" = 1;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `events_times` ON `events` (`time`) WHERE "seq" % 16 = 0 and "seq" > 0;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `events_of_parent` ON `events` (`parent_key`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `events_above0` ON `events` (`above0`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `events_above1` ON `events` (`above1`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `events_above2` ON `events` (`above2`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `events_above3` ON `events` (`above3`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key0_by_created` ON `external_group_role_mappings` (`key0`,`create_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key0_by_updated` ON `external_group_role_mappings` (`key0`,`update_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key0_by_group` ON `external_group_role_mappings` (`key0`,`external_group_id`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key0_by_role` ON `external_group_role_mappings` (`key0`,`role_uid`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key1_by_created` ON `external_group_role_mappings` (`key1`,`create_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key1_by_updated` ON `external_group_role_mappings` (`key1`,`update_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key1_by_group` ON `external_group_role_mappings` (`key1`,`external_group_id`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key1_by_role` ON `external_group_role_mappings` (`key1`,`role_uid`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key2_by_created` ON `external_group_role_mappings` (`key2`,`create_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key2_by_updated` ON `external_group_role_mappings` (`key2`,`update_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key2_by_group` ON `external_group_role_mappings` (`key2`,`external_group_id`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key2_by_role` ON `external_group_role_mappings` (`key2`,`role_uid`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key3_by_created` ON `external_group_role_mappings` (`key3`,`create_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key3_by_updated` ON `external_group_role_mappings` (`key3`,`update_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key3_by_group` ON `external_group_role_mappings` (`key3`,`external_group_id`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key3_by_role` ON `external_group_role_mappings` (`key3`,`role_uid`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key4_by_created` ON `external_group_role_mappings` (`key4`,`create_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key4_by_updated` ON `external_group_role_mappings` (`key4`,`update_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key4_by_group` ON `external_group_role_mappings` (`key4`,`external_group_id`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key4_by_role` ON `external_group_role_mappings` (`key4`,`role_uid`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key5_by_created` ON `external_group_role_mappings` (`key5`,`create_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key5_by_updated` ON `external_group_role_mappings` (`key5`,`update_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key5_by_group` ON `external_group_role_mappings` (`key5`,`external_group_id`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `external_group_role_mappings_key5_by_role` ON `external_group_role_mappings` (`key5`,`role_uid`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `group_invites_of_parent_by_created` ON `group_invites` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `group_invites_of_parent_by_updated` ON `group_invites` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `group_invites_of_parent_by_expiration` ON `group_invites` (`parent_key`,`expiration_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `group_invites_above0_by_created` ON `group_invites` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `group_invites_above0_by_updated` ON `group_invites` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `group_invites_above0_by_expiration` ON `group_invites` (`above0`,`expiration_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `group_invites_above1_by_created` ON `group_invites` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `group_invites_above1_by_updated` ON `group_invites` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `group_invites_above1_by_expiration` ON `group_invites` (`above1`,`expiration_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `group_invites_above2_by_created` ON `group_invites` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `group_invites_above2_by_updated` ON `group_invites` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `group_invites_above2_by_expiration` ON `group_invites` (`above2`,`expiration_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `group_invites_above3_by_created` ON `group_invites` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `group_invites_above3_by_updated` ON `group_invites` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `group_invites_above3_by_expiration` ON `group_invites` (`above3`,`expiration_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `groups_of_parent_by_created` ON `groups` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `groups_of_parent_by_updated` ON `groups` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `groups_of_parent_by_name` ON `groups` (`parent_key`,`name`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `groups_above0_by_created` ON `groups` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `groups_above0_by_updated` ON `groups` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `groups_above0_by_name` ON `groups` (`above0`,`name`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `groups_above1_by_created` ON `groups` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `groups_above1_by_updated` ON `groups` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `groups_above1_by_name` ON `groups` (`above1`,`name`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `groups_above2_by_created` ON `groups` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `groups_above2_by_updated` ON `groups` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `groups_above2_by_name` ON `groups` (`above2`,`name`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `groups_above3_by_created` ON `groups` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `groups_above3_by_updated` ON `groups` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `groups_above3_by_name` ON `groups` (`above3`,`name`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_of_parent_by_created` ON `identities` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_of_parent_by_updated` ON `identities` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_of_parent_by_name` ON `identities` (`parent_key`,`name`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_of_parent_by_idle` ON `identities` (`parent_key`,`idle_since_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_of_parent_by_expiry` ON `identities` (`parent_key`,`key_expire_time`,`step`) WHERE "key_expire_time" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above0_by_created` ON `identities` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above0_by_updated` ON `identities` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above0_by_name` ON `identities` (`above0`,`name`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above0_by_idle` ON `identities` (`above0`,`idle_since_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above0_by_expiry` ON `identities` (`above0`,`key_expire_time`,`step`) WHERE "above0" is not null and "key_expire_time" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above1_by_created` ON `identities` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above1_by_updated` ON `identities` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above1_by_name` ON `identities` (`above1`,`name`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above1_by_idle` ON `identities` (`above1`,`idle_since_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above1_by_expiry` ON `identities` (`above1`,`key_expire_time`,`step`) WHERE "above1" is not null and "key_expire_time" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above2_by_created` ON `identities` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above2_by_updated` ON `identities` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above2_by_name` ON `identities` (`above2`,`name`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above2_by_idle` ON `identities` (`above2`,`idle_since_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above2_by_expiry` ON `identities` (`above2`,`key_expire_time`,`step`) WHERE "above2" is not null and "key_expire_time" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above3_by_created` ON `identities` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above3_by_updated` ON `identities` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above3_by_name` ON `identities` (`above3`,`name`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above3_by_idle` ON `identities` (`above3`,`idle_since_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_above3_by_expiry` ON `identities` (`above3`,`key_expire_time`,`step`) WHERE "above3" is not null and "key_expire_time" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identities_by_kind` ON `identities` (`relationship_type`,`uid`) WHERE "relationship_type" <> 0;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identity_providers_of_parent_by_created` ON `identity_providers` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identity_providers_of_parent_by_updated` ON `identity_providers` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identity_providers_of_parent_by_name` ON `identity_providers` (`parent_key`,`name`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identity_providers_above0_by_created` ON `identity_providers` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identity_providers_above0_by_updated` ON `identity_providers` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identity_providers_above0_by_name` ON `identity_providers` (`above0`,`name`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identity_providers_above1_by_created` ON `identity_providers` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identity_providers_above1_by_updated` ON `identity_providers` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identity_providers_above1_by_name` ON `identity_providers` (`above1`,`name`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identity_providers_above2_by_created` ON `identity_providers` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identity_providers_above2_by_updated` ON `identity_providers` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identity_providers_above2_by_name` ON `identity_providers` (`above2`,`name`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identity_providers_above3_by_created` ON `identity_providers` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identity_providers_above3_by_updated` ON `identity_providers` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `identity_providers_above3_by_name` ON `identity_providers` (`above3`,`name`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `repos_of_parent_by_created` ON `repos` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `repos_of_parent_by_updated` ON `repos` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `repos_of_parent_by_name` ON `repos` (`parent_key`,`name`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `repos_above0_by_created` ON `repos` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `repos_above0_by_updated` ON `repos` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `repos_above0_by_name` ON `repos` (`above0`,`name`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `repos_above1_by_created` ON `repos` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `repos_above1_by_updated` ON `repos` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `repos_above1_by_name` ON `repos` (`above1`,`name`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `repos_above2_by_created` ON `repos` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `repos_above2_by_updated` ON `repos` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `repos_above2_by_name` ON `repos` (`above2`,`name`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `repos_above3_by_created` ON `repos` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `repos_above3_by_updated` ON `repos` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `repos_above3_by_name` ON `repos` (`above3`,`name`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_of_parent_by_created` ON `role_bindings` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_of_parent_by_updated` ON `role_bindings` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_of_parent_by_identity` ON `role_bindings` (`parent_key`,`identity_uid`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_of_parent_by_role` ON `role_bindings` (`parent_key`,`role_uid`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_of_parent_by_idle` ON `role_bindings` (`parent_key`,`idle_since_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above0_by_created` ON `role_bindings` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above0_by_updated` ON `role_bindings` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above0_by_identity` ON `role_bindings` (`above0`,`identity_uid`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above0_by_role` ON `role_bindings` (`above0`,`role_uid`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above0_by_idle` ON `role_bindings` (`above0`,`idle_since_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above1_by_created` ON `role_bindings` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above1_by_updated` ON `role_bindings` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above1_by_identity` ON `role_bindings` (`above1`,`identity_uid`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above1_by_role` ON `role_bindings` (`above1`,`role_uid`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above1_by_idle` ON `role_bindings` (`above1`,`idle_since_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above2_by_created` ON `role_bindings` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above2_by_updated` ON `role_bindings` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above2_by_identity` ON `role_bindings` (`above2`,`identity_uid`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above2_by_role` ON `role_bindings` (`above2`,`role_uid`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above2_by_idle` ON `role_bindings` (`above2`,`idle_since_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above3_by_created` ON `role_bindings` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above3_by_updated` ON `role_bindings` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above3_by_identity` ON `role_bindings` (`above3`,`identity_uid`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above3_by_role` ON `role_bindings` (`above3`,`role_uid`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `role_bindings_above3_by_idle` ON `role_bindings` (`above3`,`idle_since_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `roles_of_parent_by_created` ON `roles` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `roles_of_parent_by_updated` ON `roles` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `roles_of_parent_by_name` ON `roles` (`parent_key`,`name`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `roles_above0_by_created` ON `roles` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `roles_above0_by_updated` ON `roles` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `roles_above0_by_name` ON `roles` (`above0`,`name`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `roles_above1_by_created` ON `roles` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `roles_above1_by_updated` ON `roles` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `roles_above1_by_name` ON `roles` (`above1`,`name`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `roles_above2_by_created` ON `roles` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `roles_above2_by_updated` ON `roles` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `roles_above2_by_name` ON `roles` (`above2`,`name`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `roles_above3_by_created` ON `roles` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `roles_above3_by_updated` ON `roles` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `roles_above3_by_name` ON `roles` (`above3`,`name`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `sboms_key0_by_updated` ON `sboms` (`key0`,`update_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `sboms_key1_by_updated` ON `sboms` (`key1`,`update_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `sboms_key2_by_updated` ON `sboms` (`key2`,`update_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `sboms_key3_by_updated` ON `sboms` (`key3`,`update_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `sboms_key4_by_updated` ON `sboms` (`key4`,`update_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `sboms_key5_by_updated` ON `sboms` (`key5`,`update_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `subscriptions_of_parent_by_created` ON `subscriptions` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `subscriptions_of_parent_by_updated` ON `subscriptions` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `subscriptions_above0_by_created` ON `subscriptions` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `subscriptions_above0_by_updated` ON `subscriptions` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `subscriptions_above1_by_created` ON `subscriptions` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `subscriptions_above1_by_updated` ON `subscriptions` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `subscriptions_above2_by_created` ON `subscriptions` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `subscriptions_above2_by_updated` ON `subscriptions` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `subscriptions_above3_by_created` ON `subscriptions` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `subscriptions_above3_by_updated` ON `subscriptions` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vuln_reports_key0_by_scan` ON `vuln_reports` (`key0`,`scan_time`,`step`) WHERE "key0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vuln_reports_key1_by_scan` ON `vuln_reports` (`key1`,`scan_time`,`step`) WHERE "key1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vuln_reports_key2_by_scan` ON `vuln_reports` (`key2`,`scan_time`,`step`) WHERE "key2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vuln_reports_key3_by_scan` ON `vuln_reports` (`key3`,`scan_time`,`step`) WHERE "key3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vuln_reports_key4_by_scan` ON `vuln_reports` (`key4`,`scan_time`,`step`) WHERE "key4" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vuln_reports_key5_by_scan` ON `vuln_reports` (`key5`,`scan_time`,`step`) WHERE "key5" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vulnerability_metadata_of_parent_by_created` ON `vulnerability_metadata` (`parent_key`,`create_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vulnerability_metadata_of_parent_by_updated` ON `vulnerability_metadata` (`parent_key`,`update_time`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vulnerability_metadata_of_parent_by_vulnerability` ON `vulnerability_metadata` (`parent_key`,`vulnerability_id`,`step`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vulnerability_metadata_above0_by_created` ON `vulnerability_metadata` (`above0`,`create_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vulnerability_metadata_above0_by_updated` ON `vulnerability_metadata` (`above0`,`update_time`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vulnerability_metadata_above0_by_vulnerability` ON `vulnerability_metadata` (`above0`,`vulnerability_id`,`step`) WHERE "above0" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vulnerability_metadata_above1_by_created` ON `vulnerability_metadata` (`above1`,`create_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vulnerability_metadata_above1_by_updated` ON `vulnerability_metadata` (`above1`,`update_time`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vulnerability_metadata_above1_by_vulnerability` ON `vulnerability_metadata` (`above1`,`vulnerability_id`,`step`) WHERE "above1" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vulnerability_metadata_above2_by_created` ON `vulnerability_metadata` (`above2`,`create_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vulnerability_metadata_above2_by_updated` ON `vulnerability_metadata` (`above2`,`update_time`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vulnerability_metadata_above2_by_vulnerability` ON `vulnerability_metadata` (`above2`,`vulnerability_id`,`step`) WHERE "above2" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vulnerability_metadata_above3_by_created` ON `vulnerability_metadata` (`above3`,`create_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vulnerability_metadata_above3_by_updated` ON `vulnerability_metadata` (`above3`,`update_time`,`step`) WHERE "above3" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `vulnerability_metadata_above3_by_vulnerability` ON `vulnerability_metadata` (`above3`,`vulnerability_id`,`step`) WHERE "above3" is not null;
