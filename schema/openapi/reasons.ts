/**
 * Errors that the generator cannot derive from the options or the fields of an RPC, with the messages that the platform
 * sends. If the comment of an RPC names a code and this file has no entry for it, the generator stops.
 */

import type { DescMethod } from "@bufbuild/protobuf";

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
      type: "LAST_OWNER",
      reason: "LAST_OWNER",
      description:
        "organization 45a0c61ea6fd977f050c5fb9ac06a69eed764595 would have no owner left who can come in; bind another owner first",
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
      description: "a verified organization keeps its name",
      names: [...iam2("Groups", "UpdateGroup"), "iam.Groups/Update"],
    },
    {
      type: "DEPTH_LIMIT",
      description: "groups nest at most 4 levels deep",
      names: [...iam2("Groups", "CreateGroup"), "iam.Groups/Create"],
    },
    {
      type: "RESOURCE_IN_USE",
      description: "cannot delete role with role bindings, or that an identity provider gives",
      names: [...iam2("Roles", "DeleteRole"), "iam.Roles/Delete"],
    },
    {
      type: "OUT_OF_REACH",
      description: "an identity that was made under a group cannot join a group outside of it",
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
        ...["iam.IdentityProviders/Create", "iam.IdentityProviders/Update"],
      ],
    },
    {
      type: "PKCE",
      description: "https://idp.example.com says that it lacks the PKCE method S256",
      names: [
        ...iam2("IdentityProviders", "CreateIdentityProvider", "UpdateIdentityProvider"),
        ...["iam.IdentityProviders/Create", "iam.IdentityProviders/Update"],
      ],
    },
    {
      type: "SCIM_TOKEN_EXISTS",
      description: "a SCIM token was issued before: regenerate it",
      names: [
        ...iam2("IdentityProviders", "GenerateScimToken"),
        "iam.IdentityProviders/GenerateScimToken",
      ],
    },
    {
      type: "OWNERS",
      description:
        "the organization needs 2 owners of its own before provisioning decides who gets in",
      names: [
        ...iam2("IdentityProviders", "SetScimEnabled"),
        "iam.IdentityProviders/SetScimEnabled",
      ],
    },
    {
      type: "ADVISORY_ID_TAKEN",
      description: "advisory CVE-2026-1234 exists and does not come from VEX statements about this",
      names: [
        "vulnerabilities.v2.OpenVexDocumentsService/ImportOpenVexDocuments",
        "vulnerabilities.v2.CsafDocumentsService/ImportCsafDocuments",
      ],
    },
    {
      type: "TOO_MANY_EVENTS",
      description: "advisory CVE-2026-1234 would have more than 200 events",
      names: [
        "vulnerabilities.v2.OpenVexDocumentsService/ImportOpenVexDocuments",
        "vulnerabilities.v2.CsafDocumentsService/ImportCsafDocuments",
      ],
    },
    {
      type: "TOO_MANY_EVENTS",
      description: "the advisory would have more than 200 events",
      names: [
        "vulnerabilities.v1.Advisories/Create",
        "vulnerabilities.v1.Advisories/CreateAdvisoryEvent",
      ],
    },
    {
      type: "ADVISORY_DELETED",
      description: "the advisory is deleted and cannot be changed any more",
      names: ["Update", "CreateAdvisoryEvent", "UpdateAdvisoryEvent"].map(
        (method) => `vulnerabilities.v1.Advisories/${method}`,
      ),
    },
    {
      type: "EVENT_REVIEWED",
      description: "the event is approved or rejected and cannot be changed any more",
      names: ["vulnerabilities.v1.Advisories/UpdateAdvisoryEvent"],
    },
    {
      type: "IDENTITY_AMBIGUOUS",
      description:
        "several identities match the token: name one of them with identity, or its organization with scopes",
      names: ["oidc.SecurityTokenService/Exchange"],
    },
    {
      type: "CHAIN_TOO_LONG",
      description:
        "the token was exchanged from one identity to the next 8 times: start over with the first token",
      names: ["oidc.SecurityTokenService/Exchange"],
    },
  ];

/** Returns the preconditions that an RPC can find unmet. */
export const preconditions = (rpc: string) =>
  preconditionReasons.filter(({ names }) => names.includes(full(rpc)));

/** PERMISSION_DENIED of RPCs that require no capability, or that accept a token of another kind. */
const denialTexts: Record<string, string> = {
  "iam.v2.GroupInvitesService/AcceptGroupInvite":
    "the token was narrowed to what does not take in the group of the invite",
  "auth.Auth/Register": 'people of issuer "https://ci.example.com" may not register here',
  "iam.v2.IdentitiesService/UpdateIdentityMetadata": "the token was narrowed: take one that is not",
  "events.Identities/UpdateMetadata": "the token was narrowed: take one that is not",
  "auth.Auth/Delete": "people delete themselves only, and only people do",
  "oidc.SecurityTokenService/Exchange":
    `no identity matches issuer "https://ci.example.com" with the token's subject; ` +
    "name one with identity if it matches by pattern or by further claims",
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
      "45a0c61ea6fd977f050c5fb9ac06a69eed764595 has 200 role bindings in the organization, of 200 at most: bind the roles at a group further up",
    ]),
  ),
  "iam.v2.GroupsService/RequestGroupAccess": "you asked this group less than 24 hours ago",
  "iam.Groups/RequestGroupAccess": "you asked this group less than 24 hours ago",
  "registry.Registry/ListManifestMetadata":
    "the packages of these images are too many for one answer",
  "registry.Registry/ListTagHistory":
    "more than 20000 records match; name a shorter time with start and end",
  "registry.Vulnerabilities/ListVulnReports":
    "the reports are too large for one answer; name a digest or a tag, or set created_since",
  "registry.Vulnerabilities/ListVulnCountReports":
    "the reports are too many for one answer; name fewer tags or a shorter time",
  "registry.Vulnerabilities/ListCumulativeVulnCountReports":
    "the reports are too many for one answer; name fewer tags or a shorter time",
  "advisory.SecurityAdvisory/ListDocuments":
    "more than 3000 advisories or 4 MiB of them match; name an id or cves, or use version 2, which pages",
  "advisory.v2.SecurityAdvisoryService/ListDocuments":
    "more than 3000 advisories or 4 MiB of them match; name an id or cves, or set page_size, to read page by page",
  "advisory.SecurityAdvisory/ListResolvedVulnsReports":
    "more than 20000 fixes or 16 MiB of them match; name fewer images or a shorter time, or use version 2, which pages",
  "advisory.v2.SecurityAdvisoryService/ListResolvedVulnsReports":
    "more than 20000 fixes or 16 MiB of them match; name fewer images or a shorter time, or set page_size, to read page by page",
};

/** UNIMPLEMENTED: the platform does not implement this part of the contract. */
const notServedTexts: Record<string, string> = {
  "registry.Registry/GetImageConfig":
    "registry: there is no registry behind this service to read the configuration from",
  "oidc.SecurityTokenService/Exchange":
    "service principals cannot be assumed: they are the operator's own services",
};

/**
 * ALREADY_EXISTS: the name of the existing resource in the message, by the type of the resource. Types that are not
 * here use the name from their example.
 */
export const calledBy: Record<string, string> = {
  "iam/RoleBinding": "of that identity, group and role",
  "iam/AccountAssociation": "45a0c61ea6fd977f050c5fb9ac06a69eed764595",
  "iam/ExternalGroupRoleMapping": "of that external group, role and scope",
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
      ...["iam.Groups/Create", "iam.Groups/Update"],
    ],
    "iam/Role": [...iam2("Roles", "CreateRole", "UpdateRole"), "iam.Roles/Update"],
    "iam/RoleBinding": [
      ...iam2("RoleBindings", "CreateRoleBinding", "UpdateRoleBinding", "BatchCreateRoleBindings"),
      ...["iam.RoleBindings/Update", "iam.RoleBindings/CreateBatch"],
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
