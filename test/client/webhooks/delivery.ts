/** Deliveries as the platform sends them, signed by libraries that are not ours: `standardwebhooks` and `jose`. */
import { createHash, randomBytes } from "node:crypto";
import type { JWTPayload } from "jose";
import { WebhookError, type WebhookErrorReason } from "platform-api/client/webhooks";
import { Webhook } from "standardwebhooks";
import { expect } from "vitest";
import type { Issuer } from "../../auth/oidc_issuer.ts";

/** A request that the receiver gets. */
export interface Delivery {
  headers: Record<string, string>;
  body: string;
}

export const groupUid = "1".repeat(40);
export const repoUid = `${groupUid}/${"2".repeat(16)}`;
export const tagUid = `${repoUid}/${"3".repeat(16)}`;
export const digest = `sha256:${"a".repeat(64)}`;

export const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;

const tag = {
  uid: tagUid,
  name: "latest",
  digest,
  deprecated: false,
  createTime: "2026-11-01T00:00:00.000Z",
  updateTime: "2026-11-23T16:30:00.000Z",
};

const withoutSignature = {
  "content-type": "application/json",
  "ce-specversion": "1.0",
  "ce-type": "dev.vendor.api.platform.registry.tag.created.v1",
  "ce-source": "https://api.example.com/registry/v2/tags",
  "ce-subject": tagUid,
  "ce-time": "2026-11-23T16:30:00.123Z",
  "ce-group": groupUid,
  "ce-audience": "customer",
  "ce-bodytype": "vendor.platform.registry.v2.Tag",
};

/** The delivery of a moved tag, without any credential. Its headers can be changed, and its data replaced. */
export function tagDelivery(headers: Record<string, string> = {}, data?: unknown): Delivery {
  const given = data ?? { actor: { subject: `${groupUid}/${"4".repeat(16)}` }, body: tag };
  return {
    headers: { ...withoutSignature, "ce-id": crypto.randomUUID(), ...headers },
    body: typeof given === "string" ? given : JSON.stringify(given),
  };
}

/** Signs a delivery as Standard Webhooks says, with one secret or several, now or at another time. */
export function withSignature(
  { headers, body }: Delivery,
  secrets: string | string[],
  at = new Date(),
): Delivery {
  const id = headers["ce-id"] ?? "";
  const signatures = [secrets].flat().map((secret) => new Webhook(secret).sign(id, at, body));
  return {
    headers: {
      ...headers,
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": signatures.join(" "),
    },
    body,
  };
}

/** The claims of the token of a delivery, except the issuer and the times. */
export const claimsOf = ({ body }: Delivery, group = groupUid): JWTPayload & { sub: string } => ({
  sub: `webhook:${group}`,
  aud: "customer",
  webhook: { digest: `sha256:${createHash("sha256").update(body).digest("hex")}` },
});

/** Adds the token of an issuer. Its claims can be changed. */
export async function withToken(
  delivery: Delivery,
  issuer: Issuer,
  claims: JWTPayload = {},
): Promise<Delivery> {
  const { sub, ...others } = claimsOf(delivery);
  return withBearer(delivery, await issuer.sign(sub, { ...others, ...claims }));
}

export const withBearer = ({ headers, body }: Delivery, token: string): Delivery => ({
  headers: { ...headers, authorization: `Bearer ${token}` },
  body,
});

/** Expects that a delivery is refused with that status and reason. */
export async function expectRefusal(
  outcome: Promise<unknown>,
  status: number,
  reason: WebhookErrorReason,
): Promise<void> {
  const error = await outcome.then(
    (value) => value,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(WebhookError);
  expect(error).toMatchObject({ status, reason });
}
