ALTER TABLE `events` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `events` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `events` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `events` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `events` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `events` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `account_associations` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `account_associations` ADD `parent_key` blob GENERATED ALWAYS AS (case when length(("uid" || '/0000000000000000')) > 40 then unhex(substr(("uid" || '/0000000000000000'), -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `account_associations` ADD `above0` blob GENERATED ALWAYS AS (case when length(("uid" || '/0000000000000000')) > 57 then unhex(substr(("uid" || '/0000000000000000'), 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `account_associations` ADD `above1` blob GENERATED ALWAYS AS (case when length(("uid" || '/0000000000000000')) > 74 then unhex(substr(("uid" || '/0000000000000000'), 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `account_associations` ADD `above2` blob GENERATED ALWAYS AS (case when length(("uid" || '/0000000000000000')) > 91 then unhex(substr(("uid" || '/0000000000000000'), 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `account_associations` ADD `above3` blob GENERATED ALWAYS AS (case when length(("uid" || '/0000000000000000')) > 108 then unhex(substr(("uid" || '/0000000000000000'), 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `path` blob GENERATED ALWAYS AS (unhex(replace("uid", '/', ''))) VIRTUAL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `external_group_role_mappings` ADD `key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `group_invites` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `group_invites` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `group_invites` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `group_invites` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `group_invites` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `group_invites` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `groups` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `groups` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `groups` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `groups` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `groups` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `groups` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identities` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identities` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identities` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identities` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identities` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identities` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identity_providers` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identity_providers` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identity_providers` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identity_providers` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identity_providers` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `identity_providers` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `role_bindings` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `role_bindings` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `role_bindings` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `role_bindings` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `role_bindings` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `role_bindings` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `roles` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `roles` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `roles` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `roles` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `roles` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `roles` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `repos` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `repos` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `repos` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `repos` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `repos` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `repos` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `path` blob GENERATED ALWAYS AS (unhex(replace("uid", '/', ''))) VIRTUAL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `sboms` ADD `key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `path` blob GENERATED ALWAYS AS (unhex(replace("uid", '/', ''))) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `tags` ADD `digest_key` blob GENERATED ALWAYS AS (unhex(substr("digest", 8, 16))) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `path` blob GENERATED ALWAYS AS (unhex(replace("uid", '/', ''))) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vuln_reports` ADD `key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisories` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisories` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisories` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisories` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisories` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisories` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisory_documents` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisory_documents` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisory_documents` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisory_documents` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisory_documents` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `advisory_documents` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `path` blob GENERATED ALWAYS AS (unhex(replace("uid", '/', ''))) VIRTUAL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `key0` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `key1` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `key2` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `key3` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 76, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `key4` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 93, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `artifacts` ADD `key5` blob GENERATED ALWAYS AS (case when length("uid") > 125 then unhex(substr("uid", 110, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vulnerability_metadata` ADD `step` blob GENERATED ALWAYS AS (unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vulnerability_metadata` ADD `parent_key` blob GENERATED ALWAYS AS (case when length("uid") > 40 then unhex(substr("uid", -33, 16)) else x'' end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vulnerability_metadata` ADD `above0` blob GENERATED ALWAYS AS (case when length("uid") > 57 then unhex(substr("uid", 25, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vulnerability_metadata` ADD `above1` blob GENERATED ALWAYS AS (case when length("uid") > 74 then unhex(substr("uid", 42, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vulnerability_metadata` ADD `above2` blob GENERATED ALWAYS AS (case when length("uid") > 91 then unhex(substr("uid", 59, 10)) end) VIRTUAL;--> statement-breakpoint
ALTER TABLE `vulnerability_metadata` ADD `above3` blob GENERATED ALWAYS AS (case when length("uid") > 108 then unhex(substr("uid", 76, 10)) end) VIRTUAL;
