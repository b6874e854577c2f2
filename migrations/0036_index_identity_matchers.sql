ALTER TABLE `identities` ADD `matcher_key` text GENERATED ALWAYS AS (substr(coalesce(rtrim(replace(replace(lower("relationship" ->> '$.value.issuer'), 'https://', ''), 'http://', ''), '/'), case when "relationship" ->> '$.value.issuerPattern' is not null then '~' end) || ' ' || coalesce('=' || lower("relationship" ->> '$.value.subject'), '*' || lower("relationship" ->> '$.value.subjectPattern')), 1, 512)) VIRTUAL;--> statement-breakpoint
CREATE INDEX `identities_0_by_matcher` ON `identities` (`ancestor0`,`matcher_key`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `identities_1_by_matcher` ON `identities` (`ancestor1`,`matcher_key`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `identities_2_by_matcher` ON `identities` (`ancestor2`,`matcher_key`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `identities_3_by_matcher` ON `identities` (`ancestor3`,`matcher_key`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `identities_4_by_matcher` ON `identities` (`ancestor4`,`matcher_key`) WHERE "ancestor4" is not null;
