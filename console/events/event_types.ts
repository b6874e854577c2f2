/** The types of events in words, and how a filter names them. */

/** All types without `dev.{vendor}.` and `.v1`, and what an event of the type reports. */
export const eventTitles: Readonly<Record<string, string>> = {
  "api.auth.refresh_token.revoked": "Refresh tokens revoked",
  "api.auth.registered": "Person registered",
  "api.auth.token.exchanged": "Token issued",
  "api.events.delivery.redelivered": "Delivery sent again",
  "api.events.subscription.created": "Subscription created",
  "api.events.subscription.deleted": "Subscription deleted",
  "api.events.subscription.disabled": "Subscription disabled by the platform",
  "api.events.subscription.redelivered": "Events sent again",
  "api.events.subscription.secret_rotated": "Secret of a subscription replaced",
  "api.events.subscription.tested": "Test event",
  "api.events.subscription.updated": "Subscription changed",
  "api.iam.account_associations.created": "Account association created",
  "api.iam.account_associations.deleted": "Account association deleted",
  "api.iam.account_associations.updated": "Account association changed",
  "api.iam.external_group_role_mappings.created": "Role mapping created",
  "api.iam.external_group_role_mappings.deleted.batch": "Role mappings deleted",
  "api.iam.external_group_role_mappings.deleted": "Role mapping deleted",
  "api.iam.external_group_role_mappings.updated": "Role mapping changed",
  "api.iam.group.access_requested": "Access to a group requested",
  "api.iam.group.created": "Group created",
  "api.iam.group.deleted": "Group deleted",
  "api.iam.group.updated": "Group changed",
  "api.iam.group_invite.created": "Invite created",
  "api.iam.group_invite.deleted": "Invite deleted",
  "api.iam.group_invite.updated": "Invite changed",
  "api.iam.identity.created": "Identity created",
  "api.iam.identity.deleted": "Identity deleted",
  "api.iam.identity.static_keys.expiring": "Static keys expire soon",
  "api.iam.identity.updated": "Identity changed",
  "api.iam.session.ended": "Session ended",
  "api.iam.key.created": "Key created",
  "api.iam.key.deleted": "Key deleted",
  "api.iam.key.expiring": "Key expires soon",
  "api.iam.key.leaked": "Key found by someone, and deleted",
  "api.iam.identity_providers.created": "Identity provider created",
  "api.iam.identity_providers.deleted": "Identity provider deleted",
  "api.iam.identity_providers.login": "Person logged in",
  "api.iam.identity_providers.scim_enabled.updated": "SCIM turned on or off",
  "api.iam.identity_providers.scim_token.expiring": "SCIM token expires soon",
  "api.iam.identity_providers.scim_token.generated": "SCIM token created",
  "api.iam.identity_providers.scim_token.regenerated": "SCIM token replaced",
  "api.iam.identity_providers.scim_token.revoked": "SCIM token revoked",
  "api.iam.identity_providers.updated": "Identity provider changed",
  "api.iam.rolebindings.created.batch": "Role bindings created",
  "api.iam.rolebindings.created": "Role binding created",
  "api.iam.rolebindings.deleted": "Role binding deleted",
  "api.iam.rolebindings.updated": "Role binding changed",
  "api.iam.default_quota.updated": "Default quota changed",
  "api.iam.quota.near_limit": "Quota nearly used up",
  "api.iam.quota.updated": "Quota changed",
  "api.iam.roles.created": "Role created",
  "api.iam.roles.deleted": "Role deleted",
  "api.iam.roles.updated": "Role changed",
  "api.iam.scim_group.created": "SCIM group created",
  "api.iam.scim_group.deleted": "SCIM group deleted",
  "api.iam.scim_group.updated": "SCIM group changed",
  "api.iam.scim_user.created": "SCIM user created",
  "api.iam.scim_user.deleted": "SCIM user deleted",
  "api.iam.scim_user.updated": "SCIM user changed",
  "api.iam.terms.accepted": "Terms accepted",
  "api.platform.registry.image.affected": "Image affected by a vulnerability",
  "api.platform.registry.image.affected.batch": "Images affected by a vulnerability",
  "api.platform.registry.image.affected.summary": "Image affected by many vulnerabilities",
  "api.platform.registry.image.no_longer_affected": "Image no longer affected",
  "api.platform.registry.image.no_longer_affected.batch": "Images no longer affected",
  "api.platform.registry.image.no_longer_affected.summary":
    "Image no longer affected by many vulnerabilities",
  "api.platform.registry.image.still_affected": "Replaced image with the same vulnerabilities",
  "api.platform.registry.manifest.created": "Manifest created",
  "api.platform.registry.manifest.deleted": "Manifest deleted",
  "api.platform.registry.repo.created": "Repository created",
  "api.platform.registry.repo.deleted": "Repository deleted",
  "api.platform.registry.repo.updated": "Repository changed",
  "api.platform.registry.sbom.created": "SBOM created",
  "api.platform.registry.tag.created": "Tag created",
  "api.platform.registry.tag.deleted": "Tag deleted",
  "api.platform.registry.tag.moved.batch": "Imported moves of tags",
  "api.platform.registry.image.verified": "Signature verified",
  "api.platform.registry.image.unverified": "Signature no longer verified",
  "api.platform.registry.tag.overridden": "Tag rule overridden",
  "api.platform.registry.tag.updated": "Tag changed",
  "api.platform.registry.tag_moves.imported": "Tag history imported",
  "api.platform.registry.vuln_report.created": "Vulnerability report created",
  "api.registry.expiry_plan.approved": "Expiry plan approved",
  "api.registry.expiry_plan.canceled": "Expiry plan canceled",
  "api.registry.expiry_plan.carried_out": "Expiry plan carried out",
  "api.registry.expiry_plan.created": "Expiry plan made",
  "api.registry.expiry_plan.undone": "Expiry plan undone",
  "api.registry.image_hold.created": "Image hold created",
  "api.registry.image_hold.deleted": "Image hold deleted",
  "api.registry.image_hold.updated": "Image hold changed",
  "api.registry.tag_rule.created": "Tag rule created",
  "api.registry.tag_rule.deleted": "Tag rule deleted",
  "api.registry.tag_rule.updated": "Tag rule changed",
  "api.registry.trust_policy.created": "Trust policy created",
  "api.registry.trust_policy.deleted": "Trust policy deleted",
  "api.registry.trust_policy.updated": "Trust policy changed",
  "api.vulnerabilities.advisories.purged": "Advisories purged",
  "api.vulnerabilities.advisory.created": "Advisory created",
  "api.vulnerabilities.advisory.deleted": "Advisory deleted",
  "api.vulnerabilities.advisory.imported.batch": "Advisories imported",
  "api.vulnerabilities.advisory.updated": "Advisory changed",
  "api.vulnerabilities.advisory_event.created": "Event of an advisory created",
  "api.vulnerabilities.advisory_event.updated": "Event of an advisory changed",
  "api.vulnerabilities.csaf_documents.imported": "CSAF documents imported",
  "api.vulnerabilities.openvex_documents.imported": "OpenVEX documents imported",
  "api.vulnerabilities.osv_records.imported": "OSV records imported",
  "registry.damage": "Damaged content",
  "registry.upstream": "Upstream of a mirror",
  "registry.pull": "Pull",
  "registry.push": "Push",
};

/** Patterns for several types, and what they stand for. */
const families: readonly (readonly [string, string])[] = [
  ["api.platform.registry.*", "Changes in the registry"],
  ["api.platform.registry.image.*", "Vulnerabilities of images"],
  ["api.platform.registry.tag.*", "Changes of tags"],
  ["api.platform.registry.repo.*", "Changes of repositories"],
  ["registry.*", "Pulls and pushes"],
  ["api.iam.*", "Changes of access"],
  ["api.iam.identity.*", "Changes of identities"],
  ["api.iam.rolebindings.*", "Changes of role bindings"],
  ["api.auth.*", "Logins and tokens"],
  ["api.events.*", "Subscriptions and deliveries"],
  ["api.vulnerabilities.*", "Advisories and their sources"],
];

/** A type without `dev.{vendor}.`, such as `api.platform.registry.tag.created.v1`. */
export const plainType = (type: string): string =>
  type.replace(/^dev\.[^.]+\.(?=api\.|registry\.)/, "");

/** A type in words, such as `Tag created`. For a pattern with `*`, what it stands for. */
export function titleOf(type: string): string {
  const plain = plainType(type);
  const known = eventTitles[plain.replace(/\.v\d+$/, "")];
  if (known !== undefined) return known;
  return families.find(([pattern]) => pattern === plain)?.[1] ?? plain;
}

/** The form that the API accepts as a type or as a pattern of types. */
const acceptable = /^(?:[a-z0-9_.-]+|[a-z0-9_.-]*\*)$/;

/** The types and patterns that fit a text, the text itself first if it is one. At most `limit`. */
export function suggestTypes(text: string, limit: number): { type: string; title: string }[] {
  const wanted = text.trim().toLowerCase();
  const all = [
    ...families,
    ...Object.entries(eventTitles).map(([type, title]) => [`${type}.v1`, title] as const),
  ];
  const fits = all
    .filter(([type, title]) => type.includes(wanted) || title.toLowerCase().includes(wanted))
    .map(([type, title]) => ({ type, title }));
  const isOwn =
    acceptable.test(wanted) && /[.*]/.test(wanted) && !fits.some(({ type }) => type === wanted);
  const own = isOwn
    ? [{ type: wanted, title: wanted.endsWith("*") ? "This pattern" : "This type" }]
    : [];
  return [...own, ...fits].slice(0, limit);
}
