/** The types of bodies by event type. The compiler checks them, and the platform's own events are in test/contract. */
import { fileURLToPath } from "node:url";
import type { EventBodies, WebhookEvent, WebhookHandlers } from "platform-api/client/webhooks";
import { expect, expectTypeOf, test } from "vitest";
import type { RepoReadme, Tag } from "../../../client/gen/messages.ts";
import type { Tag as TagV1 } from "../../../client/gen/messages_v1.ts";
import { eventBodies } from "../../../schema/client/events.ts";
import { readProtos } from "../../../schema/describe/protos.ts";

type OfTag = Extract<WebhookEvent, { type: "api.platform.registry.tag.created.v1" }>;

test("the type of an event narrows its body, and the name of the message narrows it further", () => {
  expectTypeOf<OfTag["body"]>().toEqualTypeOf<Tag | TagV1>();
  expectTypeOf<
    Extract<OfTag, { bodyType: "platform.registry.v2.Tag" }>["body"]
  >().toEqualTypeOf<Tag>();
  expectTypeOf<
    EventBodies["api.platform.registry.repo.updated.v1"]["platform.registry.v2.RepoReadme"]
  >().toEqualTypeOf<RepoReadme>();
  type Deleted = Extract<WebhookEvent, { type: "api.iam.account_associations.deleted.v1" }>;
  expectTypeOf<Deleted["body"]>().toEqualTypeOf<undefined>();
  type Invite = Extract<WebhookEvent, { bodyType: "platform.iam.v2.GroupInvite" }>["body"];
  expectTypeOf<keyof Invite>().toEqualTypeOf<"uid" | "expirationTime">();
  type TokenMade = Extract<WebhookEvent, { bodyType: "platform.iam.v2.GenerateScimTokenResponse" }>;
  expectTypeOf<TokenMade["body"]>().not.toHaveProperty("token");
  expectTypeOf<"api.no.such.event.v1">().not.toExtend<keyof WebhookHandlers>();
  expect(
    narrowed({ type: "api.platform.registry.tag.created.v1", body: { name: "latest" } } as OfTag),
  ).toBe("latest");
});

/** Compiles only if both versions of the body have the member. */
function narrowed(event: WebhookEvent): string | undefined {
  if (event.type === "api.platform.registry.tag.created.v1") return event.body.name;
  // @ts-expect-error: an event of another type has no name
  return event.body.name;
}

test("customers' events of both versions have a body, and internal events have none", () => {
  const bodies = eventBodies(readProtos(fileURLToPath(new URL("../../..", import.meta.url))));
  const named = (type: string) =>
    bodies.filter((body) => body.type === type).map(({ message }) => message?.typeName);
  expect(named("api.platform.registry.tag.created.v1")).toEqual([
    "platform.registry.Tag",
    "platform.registry.v2.Tag",
  ]);
  expect(named("api.events.subscription.deleted.v1")).toEqual([
    undefined,
    "platform.events.v2.DeleteSubscriptionRequest",
  ]);
  expect(named("api.iam.identity_providers.login.v1")).toEqual(["platform.iam.v2.Login"]);
  expect(named("api.iam.identity.metadata.updated.v1")).toEqual([]);
});
