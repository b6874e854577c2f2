/** Writes the bodies of events by type, from the event options of the protos. */
import type { DescMessage, DescMethod, FileRegistry } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { isEmptyUnlessValidating, servicesOf } from "../describe/protos.ts";
import { eventAttributes, isVendorNamed, unimplementedReason } from "../options.ts";
import type { CommentWriter } from "./comments.ts";
import { isAlwaysShown } from "./fields.ts";
import { Declarations, referencedTypes } from "./messages.ts";

/** A body that an event can have. */
export interface EventBody {
  /** The type of the event without `dev.<vendor>.`. */
  type: string;
  /** Undefined if the event has no body. */
  message: DescMessage | undefined;
  /** The JSON names of the members that redaction leaves. Undefined if the body is not redacted. */
  only?: string[];
  /** The JSON names of members that redaction removes. */
  without?: string[];
}

/** The differences of a body from the response of the RPC, or from the request of a deletion. */
interface OwnBody extends Pick<EventBody, "only" | "without"> {
  /** The name of another message. An empty text means that there is no body. */
  message?: string;
}

const invites = { only: ["uid", "expirationTime"] };
const invitesV1 = { only: ["id", "expiration"] };
const providers = { without: ["createTime", "updateTime"] };
const scimTokens = { without: ["token"] };
const subscriptions = { without: ["secret"] };
const exchanges = { message: "platform.events.v2.TokenExchange" };
const keys = { without: ["secret"] };
const noBody = { message: "" };

/** The bodies that do not follow from the RPC, by its service and name. test/contract/outbox.test.ts checks them. */
const ownBodies: Record<string, OwnBody> = {
  "platform.events.Subscriptions/Delete": noBody,
  "platform.events.v2.SubscriptionsService/CreateSubscription": subscriptions,
  "platform.events.v2.SubscriptionsService/RedeliverEvents": {
    message: "platform.events.v2.RedeliverEventsRequest",
  },
  "platform.events.v2.SubscriptionsService/RotateSubscriptionSecret": subscriptions,
  "platform.iam.ExternalGroupRoleMappings/Delete": noBody,
  "platform.iam.GroupAccountAssociations/Delete": noBody,
  "platform.iam.GroupInvites/Create": invitesV1,
  "platform.iam.IdentityProviders/GenerateScimToken": scimTokens,
  "platform.iam.IdentityProviders/RegenerateScimToken": scimTokens,
  "platform.iam.v2.AccountAssociationsService/DeleteAccountAssociation": noBody,
  "platform.iam.v2.GroupInvitesService/CreateGroupInvite": invites,
  "platform.iam.v2.GroupInvitesService/UpdateGroupInvite": invites,
  "platform.iam.v2.GroupsService/RequestGroupAccess": {
    message: "platform.iam.v2.GroupAccessRequest",
  },
  "platform.iam.v2.IdentityProvidersService/CreateIdentityProvider": providers,
  "platform.iam.v2.IdentityProvidersService/GenerateScimToken": scimTokens,
  "platform.iam.v2.IdentityProvidersService/RegenerateScimToken": scimTokens,
  "platform.iam.v2.IdentityProvidersService/UpdateIdentityProvider": providers,
  "platform.iam.v2.KeysService/CreateKey": keys,
  "platform.iam.v2.SessionsService/EndSessions": { message: "platform.iam.v2.Session" },
  "platform.oidc.SecurityTokenService/Exchange": exchanges,
  "platform.oidc.SecurityTokenService/ExchangeRefreshToken": exchanges,
  "platform.vulnerabilities.v2.AdvisoryPurgesService/PurgeAdvisories": {
    message: "platform.vulnerabilities.v2.PurgeAdvisoriesRequest",
  },
};

/** The bodies of events that no RPC emits, by type. */
const otherEvents: Record<string, OwnBody & { message: string }> = {
  "api.events.subscription.disabled.v1": {
    message: "platform.events.v2.Subscription",
    only: ["uid", "disabled", "disableReason", "disableTime"],
  },
  "api.auth.refresh_token.revoked.v1": { message: "platform.events.v2.RefreshTokenRevocation" },
  "api.iam.identity.static_keys.expiring.v1": {
    message: "platform.events.v2.ExpiringCredential",
  },
  "api.iam.identity_providers.scim_token.expiring.v1": {
    message: "platform.events.v2.ExpiringCredential",
  },
  "api.iam.key.expiring.v1": { message: "platform.events.v2.ExpiringCredential" },
  "api.iam.key.leaked.v1": { message: "platform.events.v2.LeakedKey" },
  "api.platform.registry.image.affected.v1": { message: "platform.events.v2.AffectedImage" },
  "api.platform.registry.image.affected.batch.v1": {
    message: "platform.events.v2.AffectedImages",
  },
  "api.platform.registry.image.affected.summary.v1": {
    message: "platform.events.v2.ImageVulnerabilities",
  },
  "api.platform.registry.image.no_longer_affected.v1": {
    message: "platform.events.v2.AffectedImage",
  },
  "api.platform.registry.image.no_longer_affected.batch.v1": {
    message: "platform.events.v2.AffectedImages",
  },
  "api.platform.registry.image.no_longer_affected.summary.v1": {
    message: "platform.events.v2.ImageVulnerabilities",
  },
  "api.platform.registry.image.still_affected.v1": {
    message: "platform.events.v2.ImageVulnerabilities",
  },
  "api.platform.registry.image.unverified.v1": {
    message: "platform.registry.v2.ImageVerification",
  },
  "api.platform.registry.image.verified.v1": {
    message: "platform.registry.v2.ImageVerification",
  },
  "api.platform.registry.tag.overridden.v1": { message: "platform.registry.v2.TagOverride" },
  "api.iam.quota.near_limit.v1": { message: "platform.iam.quotas.v2.Quota" },
  "api.iam.identity_providers.login.v1": { message: "platform.iam.v2.Login" },
  "api.iam.scim_group.created.v1": { message: "platform.events.v2.ScimGroup" },
  "api.iam.scim_group.updated.v1": { message: "platform.events.v2.ScimGroup" },
  "api.iam.scim_group.deleted.v1": { message: "platform.events.v2.ScimGroup" },
  "api.iam.scim_user.created.v1": { message: "platform.events.v2.ScimUser" },
  "api.iam.scim_user.updated.v1": { message: "platform.events.v2.ScimUser" },
  "api.iam.scim_user.deleted.v1": { message: "platform.events.v2.ScimUser" },
  "api.platform.registry.tag.moved.batch.v1": { message: "platform.events.v2.MovedTags" },
  "api.vulnerabilities.advisory.imported.batch.v1": {
    message: "platform.events.v2.ImportedAdvisories",
  },
  "registry.damage.v1": { message: "platform.events.v2.RegistryDamage" },
  "registry.upstream.v1": { message: "platform.events.v2.RegistryUpstreamOutage" },
  "registry.pull.v1": { message: "platform.events.v2.RegistryPull" },
  "registry.push.v1": { message: "platform.events.v2.RegistryPush" },
};

/** Returns the bodies of all events that customers receive, sorted by type. Each pair of type and message is there once. */
export function eventBodies(registry: FileRegistry): EventBody[] {
  const ofMethods = servicesOf(registry)
    .flatMap(({ methods }) => methods)
    .filter((method) => unimplementedReason(method) === undefined)
    .flatMap((method) => bodyOf(method, registry));
  const others = Object.entries(otherEvents).map(([type, { message, ...redaction }]) => ({
    type,
    message: messageNamed(registry, message),
    ...redaction,
  }));
  const byKey = new Map([...ofMethods, ...others].map((body) => [keyOf(body), body]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, body]) => body);
}

const keyOf = ({ type, message }: EventBody) => `${type} ${message?.typeName ?? ""}`;

function bodyOf(method: DescMethod, registry: FileRegistry): EventBody[] {
  const event = eventAttributes(method);
  if (event?.audience !== "customer") return [];
  const own = ownBodies[`${method.parent.typeName}/${method.name}`] ?? {};
  const isEmpty =
    method.output.typeName === EmptySchema.typeName || isEmptyUnlessValidating(method);
  const shown = isEmpty ? method.input : method.output;
  const { message: name, ...redaction } = own;
  if (name === "") return [{ type: event.type, message: undefined }];
  const message = name === undefined ? shown : messageNamed(registry, name);
  return [{ type: event.type, message, ...redaction }];
}

function messageNamed(registry: FileRegistry, name: string): DescMessage {
  const message = registry.getMessage(name);
  if (!message) throw new Error(`schema/client/events.ts names ${name}, which no proto declares`);
  return message;
}

/** Returns the JSON names of the members that the type of a body promises. */
export function promisedMembers({ message, only, without = [] }: EventBody): string[] {
  const shown = message?.fields.filter(isAlwaysShown).map(({ jsonName }) => jsonName) ?? [];
  return shown.filter((name) => (only?.includes(name) ?? true) && !without.includes(name));
}

const isV2 = ({ file }: DescMessage) => file.proto.package.endsWith(".v2");

/** The files about events: the bodies by type, and the messages of version 1 in them. */
export interface EventTexts {
  events: string;
  messagesV1: string;
}

/** Returns the files about events. Messages of version 2 are declared in `declarations`. */
export function eventTexts(
  registry: FileRegistry,
  declarations: Declarations,
  comments: CommentWriter,
): EventTexts {
  const bodies = eventBodies(registry);
  const messages = bodies.flatMap(({ message }) => message ?? []);
  const spoken = messages
    .filter((message) => !isV2(message))
    .flatMap((m) => [...referencedTypes(m)]);
  const ofV1 = new Declarations(comments, spoken);
  const typeOf = (body: EventBody) => {
    const { message } = body;
    if (!message) return "undefined";
    const version = isV2(message) ? "v2" : "v1";
    const name = (version === "v2" ? declarations : ofV1).message(message, "answer");
    return redactedType(`${version}.${name}`, body);
  };
  const entries = [...Map.groupBy(bodies, ({ type }) => type)].map(([type, all]) => {
    const members = all.map((body) => `    "${body.message?.typeName ?? ""}": ${typeOf(body)};\n`);
    return `  "${type}": {\n${members.join("")}  };\n`;
  });
  return { events: eventsText(entries, messages), messagesV1: ofV1.text() };
}

function redactedType(type: string, { only, without }: EventBody): string {
  const union = (names: string[]) => names.map((name) => `"${name}"`).join(" | ");
  if (only) return `Pick<${type}, ${union(only)}>`;
  return without ? `Omit<${type}, ${union(without)}>` : type;
}

function eventsText(entries: string[], messages: DescMessage[]): string {
  const named = new Map(
    messages.flatMap(({ typeName, fields }): [string, string][] => {
      const field = fields.find(isVendorNamed);
      return field ? [[typeName, field.jsonName]] : [];
    }),
  );
  const members = [...named].map(([type, member]) => `  "${type}": "${member}",\n`);
  return `import type * as v2 from "./messages.ts";
import type * as v1 from "./messages_v1.ts";

/**
 * The bodies of events by their type without \`dev.{vendor}.\`, and then by the name of the message.
 * Version 1 and version 2 of the API emit the same types with their own messages.
 */
export interface EventBodies {
${entries.join("")}}

/** The member that the platform names after its operator, by the name of the message. */
export const vendorNamedMembers: Readonly<Record<string, string>> = {
${members.join("")}};
`;
}
