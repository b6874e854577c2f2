/**
 * Errors that the generator cannot derive from the options or the fields of an RPC, with the messages that the platform
 * sends. If the comment of an RPC names a code and this file has no entry for it, the generator stops.
 */

import type { DescMethod } from "@bufbuild/protobuf";
import { planReasons } from "./plan_reasons.ts";

/** RPCs of both versions without `platform.` in front, such as `iam.v2.GroupsService/DeleteGroup`. */
type Names = string[];

const full = (name: string) => name.replace(/^platform\./, "");

const iam2 = (service: string, ...methods: string[]) =>
  methods.map((method) => `iam.v2.${service}Service/${method}`);

/**
 * FAILED_PRECONDITION: the type and the description of the violation, and the RPCs that can return it. `reason` is set
 * if the error has a reason other than the code.
 */
const preconditionReasons: { type: string; description: string; names: Names; reason?: string }[] =
  [
    {
      type: "DECISION_EXPIRED",
      description: "the decision is older than 30 days; make the call again to get a new one",
      names: ["iam.access.v2.AccessService/GetAccessDecision"],
    },
    {
      type: "NO_SUCH_MOVE",
      description: "the tag has no earlier digest",
      names: ["registry.v2.TagsService/RollbackTag"],
    },
    {
      type: "TAG_RULE",
      description:
        'the rule "releases" of example.com keeps python:v3.13.0 since 2026-11-30: it can be set only once; see platformctl tag-rules get 45a0c61ea6fd977f050c5fb9ac06a69eed764595/0f3a9c2b7d1e4f58',
      names: [
        ...["CreateTag", "RollbackTag", "DeleteTag"].map(
          (name) => `registry.v2.TagsService/${name}`,
        ),
        ...["UpdateRepo", "DeleteRepo"].map((name) => `registry.v2.ReposService/${name}`),
        "registry.v2.ManifestsService/DeleteManifest",
        "registry.v2.TagMovesService/ImportTagMoves",
        ...["CreateTag", "UpdateTag", "DeleteTag", "UpdateRepo", "DeleteRepo"].map(
          (name) => `registry.Registry/${name}`,
        ),
      ],
    },
    {
      type: "CONTRADICTION",
      description:
        'the rule "releases" contradicts the rule "candidates" of the same scope: both can match the same tag',
      names: ["CreateTagRule", "UpdateTagRule"].map(
        (name) => `registry.v2.TagRulesService/${name}`,
      ),
    },
    {
      type: "TOO_MANY_TRUST_POLICIES",
      description: "the scope already has 10 trust policies",
      names: ["registry.v2.TrustPoliciesService/CreateTrustPolicy"],
    },
    ...planReasons,
    {
      type: "TOO_MANY_HOLDS",
      description: "the repository already has 100 image holds",
      names: ["registry.v2.ImageHoldsService/CreateImageHold"],
    },
    {
      type: "TOO_MANY_TAGS",
      description: "more than 500 tags point to the manifest; delete some of them first",
      names: ["registry.v2.ManifestsService/DeleteManifest"],
    },
    {
      type: "LAST_OWNER",
      reason: "LAST_OWNER",
      description:
        "organization 45a0c61ea6fd977f050c5fb9ac06a69eed764595 would have no owner left who can act in it; make someone else an owner first",
      names: [
        ...iam2("RoleBindings", "UpdateRoleBinding", "DeleteRoleBinding"),
        ...iam2("Roles", "UpdateRole"),
        ...iam2("Identities", "UpdateIdentity", "DeleteIdentity"),
        ...iam2("IdentityProviders", "UpdateIdentityProvider", "DeleteIdentityProvider"),
        ...["RoleBindings", "Identities", "IdentityProviders"].flatMap((service) => [
          `iam.${service}/Update`,
          `iam.${service}/Delete`,
        ]),
        "iam.Roles/Update",
        "auth.Auth/Delete",
      ],
    },
    {
      type: "RESOURCE_NOT_EMPTY",
      description: "cannot delete group with child repos",
      names: [...iam2("Groups", "DeleteGroup"), "iam.Groups/Delete"],
    },
    {
      type: "VERIFIED",
      description: "the name of a verified organization cannot change",
      names: [...iam2("Groups", "UpdateGroup"), "iam.Groups/Update"],
    },
    {
      type: "DEPTH_LIMIT",
      description: "groups can be nested at most 4 levels deep",
      names: [...iam2("Groups", "CreateGroup"), "iam.Groups/Create"],
    },
    {
      type: "SUBSCRIPTION_DISABLED",
      description: "the subscription is disabled; enable it first",
      names: [
        "events.v2.SubscriptionsService/TestSubscription",
        "events.v2.SubscriptionsService/RedeliverEvents",
        "events.v2.DeliveriesService/RedeliverDelivery",
      ],
    },
    {
      type: "RESOURCE_IN_USE",
      description:
        "cannot delete role with role bindings, role mappings or identity providers that give it",
      names: [...iam2("Roles", "DeleteRole"), "iam.Roles/Delete"],
    },
    {
      type: "OUT_OF_REACH",
      description:
        "an identity that was created in a group can join only that group and the groups below it",
      names: [
        ...iam2("GroupInvites", "AcceptGroupInvite"),
        ...iam2("Groups", "RequestGroupAccess"),
        "iam.Groups/RequestGroupAccess",
        "auth.Auth/Register",
      ],
    },
    {
      type: "ROLE_GONE",
      description: "the role of the invite was deleted; ask for another invite",
      names: [...iam2("GroupInvites", "AcceptGroupInvite"), "auth.Auth/Register"],
    },
    {
      type: "DISCOVERY",
      description: "the discovery document of https://idp.example.com cannot be read",
      names: [
        ...iam2("IdentityProviders", "CreateIdentityProvider", "UpdateIdentityProvider"),
        "iam.IdentityProviders/Create",
        "iam.IdentityProviders/Update",
      ],
    },
    {
      type: "PKCE",
      description:
        "the discovery document of https://idp.example.com does not list the PKCE method S256; set oidc.pkce_enabled to false",
      names: [
        ...iam2("IdentityProviders", "CreateIdentityProvider", "UpdateIdentityProvider"),
        "iam.IdentityProviders/Create",
        "iam.IdentityProviders/Update",
      ],
    },
    {
      type: "KEYS_DISABLED",
      description: "the organization forbids keys; let the identity accept tokens instead",
      names: [...iam2("Keys", "CreateKey")],
    },
    {
      type: "SCIM_TOKEN_EXISTS",
      description: "a SCIM token was issued before; regenerate it instead",
      names: [
        ...iam2("IdentityProviders", "GenerateScimToken"),
        "iam.IdentityProviders/GenerateScimToken",
      ],
    },
    {
      type: "OWNERS",
      description:
        "at least 2 identities must have the role owner on the organization itself before you enable provisioning",
      names: [
        ...iam2("IdentityProviders", "SetScimEnabled"),
        "iam.IdentityProviders/SetScimEnabled",
      ],
    },
    {
      type: "ADVISORY_ID_TAKEN",
      description:
        "the advisory CVE-2026-1234 exists already, and does not come from VEX statements about this product",
      names: [
        "vulnerabilities.v2.OpenVexDocumentsService/ImportOpenVexDocuments",
        "vulnerabilities.v2.CsafDocumentsService/ImportCsafDocuments",
      ],
    },
    {
      type: "TOO_MANY_EVENTS",
      description: "the advisory CVE-2026-1234 can have at most 200 events",
      names: [
        "vulnerabilities.v2.OpenVexDocumentsService/ImportOpenVexDocuments",
        "vulnerabilities.v2.CsafDocumentsService/ImportCsafDocuments",
      ],
    },
    {
      type: "TOO_MANY_EVENTS",
      description: "the advisory can have at most 200 events",
      names: [
        "vulnerabilities.v1.Advisories/Create",
        "vulnerabilities.v1.Advisories/CreateAdvisoryEvent",
      ],
    },
    {
      type: "ADVISORY_DELETED",
      description: "the advisory was deleted and cannot change any more",
      names: ["Update", "CreateAdvisoryEvent", "UpdateAdvisoryEvent"].map(
        (method) => `vulnerabilities.v1.Advisories/${method}`,
      ),
    },
    {
      type: "EVENT_REVIEWED",
      description: "the event was approved or rejected and cannot change any more",
      names: ["vulnerabilities.v1.Advisories/UpdateAdvisoryEvent"],
    },
    {
      type: "IDENTITY_AMBIGUOUS",
      description:
        "several identities match the token; name one of them in identity, or its organization in scopes",
      names: ["oidc.SecurityTokenService/Exchange"],
    },
    {
      type: "CHAIN_TOO_LONG",
      description:
        "the token was exchanged from identity to identity 8 times, which is the limit; start again with the first token",
      names: ["oidc.SecurityTokenService/Exchange"],
    },
  ];

/** Returns the preconditions that an RPC can find unmet. */
export const preconditions = (rpc: string) =>
  preconditionReasons.filter(({ names }) => names.includes(full(rpc)));

const explainDenial =
  "you need the capabilities role_bindings.list, identity.list, roles.list, identity_providers.list " +
  "on the resource or on a group above it";

/** PERMISSION_DENIED of RPCs that require no capability, or that accept a token of another kind. */
const denialTexts: Record<string, string> = {
  "iam.access.v2.AccessService/TestPermissions": explainDenial,
  "iam.access.v2.AccessService/GetAccessDecision": explainDenial,
  "iam.v2.GroupInvitesService/AcceptGroupInvite":
    "the token was narrowed and cannot accept this invite; use one that reaches the group of the invite",
  "auth.Auth/Register": 'people of the issuer "https://ci.example.com" cannot register here',
  "iam.v2.IdentitiesService/UpdateIdentityMetadata": "the token was narrowed; use one that is not",
  "events.Identities/UpdateMetadata": "the token was narrowed; use one that is not",
  "auth.Auth/Delete": "you can delete only yourself, and only if you are a person",
  "oidc.SecurityTokenService/Exchange":
    `no identity matches the issuer "https://ci.example.com" and the subject of the token; ` +
    "name the identity if it matches them by a pattern, or requires other claims",
  "oidc.SecurityTokenService/ExchangeRefreshToken": "verifying token: the refresh token is unknown",
};

/** RESOURCE_EXHAUSTED: the response would be too large, or the call was repeated too soon. */
const exhaustionTexts: Record<string, string> = {
  ...Object.fromEntries(
    [
      ...iam2("RoleBindings", "CreateRoleBinding", "UpdateRoleBinding", "BatchCreateRoleBindings"),
      ...["Create", "Update", "CreateBatch"].map((method) => `iam.RoleBindings/${method}`),
    ].map((name) => [
      name,
      "45a0c61ea6fd977f050c5fb9ac06a69eed764595 has 200 role bindings in the organization, and can have 200; bind the roles on a higher group instead",
    ]),
  ),
  "iam.v2.KeysService/CreateKey":
    "the identity has 5 keys, and expired ones count too; delete one first",
  "events.v2.SubscriptionsService/CreateSubscription":
    "the organization has 20 subscriptions to hooks.example.com; delete one first, or subscribe a group above",
  "events.v2.SubscriptionsService/RedeliverEvents":
    "the events of 2 other redeliveries of the organization are still pending; wait until they are sent",
  "iam.v2.GroupsService/RequestGroupAccess":
    "you requested access to this group less than 24 hours ago; wait before you request it again",
  "iam.Groups/RequestGroupAccess":
    "you requested access to this group less than 24 hours ago; wait before you request it again",
  "registry.Registry/ListManifestMetadata":
    "the packages of these images are too many for one response; request fewer images",
  "registry.Registry/ListTagHistory":
    "more than 20000 records match; request a shorter time with start and end",
  "registry.Vulnerabilities/ListVulnReports":
    "the reports are too large for one response; name a digest or a tag, or set created_since",
  "registry.Vulnerabilities/ListVulnCountReports":
    "the reports are too many for one response; request fewer tags or a shorter time",
  "registry.Vulnerabilities/ListCumulativeVulnCountReports":
    "the reports are too many for one response; request fewer tags or a shorter time",
  "advisory.SecurityAdvisory/ListDocuments":
    "more than 3000 advisories, or more than 4 MiB of them, match; name an id, or CVEs in cves, or use version 2, which returns pages",
  "advisory.v2.SecurityAdvisoryService/ListDocuments":
    "more than 3000 advisories, or more than 4 MiB of them, match; name an id, or CVEs in cves, or set page_size to read page by page",
  "advisory.SecurityAdvisory/ListResolvedVulnsReports":
    "more than 20000 fixes, or more than 16 MiB of them, match; name fewer images or a shorter time, or use version 2, which returns pages",
  "advisory.v2.SecurityAdvisoryService/ListResolvedVulnsReports":
    "more than 20000 fixes, or more than 16 MiB of them, match; name fewer images or a shorter time, or set page_size to read page by page",
};

/** UNIMPLEMENTED: the platform does not implement this part of the contract. */
const notServedTexts: Record<string, string> = {
  "oidc.SecurityTokenService/Exchange":
    "a service principal cannot be assumed: it belongs to the operator of the platform",
};

/**
 * ALREADY_EXISTS: the name of the existing resource in the message, by the type of the resource. Types that are not
 * here use the name from their example.
 */
export const calledBy: Record<string, string> = {
  "iam/RoleBinding": "for that identity, group and role",
  "iam/AccountAssociation": "45a0c61ea6fd977f050c5fb9ac06a69eed764595",
  "iam/ExternalGroupRoleMapping": "for that external group, role and scope",
  "events/Subscription": "https://hooks.example.com/events",
  "vulnerabilities/Advisory": "CVE-2026-1234",
};

/**
 * More RPCs that can return ALREADY_EXISTS, with the type of the existing resource. Their comments do not name the
 * code, or their responses are not of that type.
 */
export const alsoUnique: Record<string, string> = Object.fromEntries(
  Object.entries({
    "iam/Group": [
      ...iam2("Groups", "CreateGroup", "UpdateGroup"),
      "iam.Groups/Create",
      "iam.Groups/Update",
    ],
    "iam/Role": [...iam2("Roles", "CreateRole", "UpdateRole"), "iam.Roles/Update"],
    "iam/RoleBinding": [
      ...iam2("RoleBindings", "CreateRoleBinding", "UpdateRoleBinding", "BatchCreateRoleBindings"),
      "iam.RoleBindings/Update",
      "iam.RoleBindings/CreateBatch",
    ],
    "iam/AccountAssociation": ["iam.GroupAccountAssociations/Create"],
    "registry/Repo": ["registry.v2.ReposService/UpdateRepo"],
  }).flatMap(([type, names]) => names.map((name) => [`platform.${name}`, type])),
);

const byName = (texts: Record<string, string>) => (rpc: string) => texts[full(rpc)];

export const denialOf = byName(denialTexts);
export const exhaustionOf = byName(exhaustionTexts);
export const notServedOf = byName(notServedTexts);

/** Returns the error for a comment that names a code without an entry here. `table` is a constant of this file. */
export const noReason = (table: string, { parent, name }: DescMethod, code: string) =>
  new Error(
    `schema/openapi/reasons.ts: ${table} has no entry ${full(`${parent.typeName}/${name}`)}, ` +
      `and the comment of that RPC says ${code}. Add the entry, or take the code out of the comment.`,
  );

/** Every RPC that this file names. A test checks that each of them exists. */
export const namedRpcs = [
  ...preconditionReasons.flatMap(({ names }) => names),
  ...[denialTexts, exhaustionTexts, notServedTexts].flatMap(Object.keys),
]
  .map((name) => `platform.${name}`)
  .concat(Object.keys(alsoUnique));
