/** The events of pushes and pulls (contract: events, "Other published event types"). */
import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import {
  RegistryPullSchema,
  RegistryPushSchema,
  type RegistryTrafficError,
} from "../../schema/gen/platform/events/v2/registry_traffic_pb.js";
import { rootOf } from "../aip/uid_path.ts";
import type { EventImage } from "../auth/call.ts";
import { type CompleteEvent, insertCompleteEvent } from "../outbox/outbox.ts";
import type { Reach } from "./access.ts";
import { anonymousSubject } from "./bearer.ts";
import type { RegistryContext } from "./context.ts";
import type { ImageName } from "./repository.ts";

/** The longest User-Agent in an event. */
const maxUserAgent = 256;

/** The parts of an event about a manifest. */
interface Traffic {
  image: ImageName;
  repo: string;
  tag?: string;
  digest?: string;
  previousDigest?: string;
  unread?: string[];
  error?: Pick<RegistryTrafficError, "status" | "code" | "message">;
}

/** A time without its zone, in microseconds. */
const civilTime = (now: number) => new Date(now).toISOString().replace("Z", "000");

const client = ({ request, now }: RegistryContext) => ({
  type: "manifest",
  when: civilTime(now),
  location: request.headers.get("cf-ipcountry") ?? "",
  remoteAddress: request.headers.get("cf-connecting-ip") ?? "",
  userAgent: (request.headers.get("user-agent") ?? "").slice(0, maxUserAgent),
});

function insertTraffic<Desc extends DescMessage>(
  context: RegistryContext,
  { caller }: Pick<Reach, "caller">,
  type: string,
  { repo, tag, digest, previousDigest }: Traffic,
  body: { desc: Desc; message: MessageInitShape<Desc> },
) {
  const { config, db, now, request } = context;
  const image: EventImage = {
    repo,
    ...(tag ? { tag } : {}),
    ...(digest ? { digest } : {}),
    ...(previousDigest ? { previousDigest } : {}),
  };
  const event: CompleteEvent = {
    type,
    path: "",
    source: config.registryUrl,
    audience: "customer",
    subject: repo,
    group: rootOf(repo),
    image,
    actor: { identity: caller?.identity ?? anonymousSubject, act: caller?.act ?? {} },
    body,
  };
  return insertCompleteEvent({ config, db, now, headers: request.headers }, event);
}

/** The statement that writes the event of a push. */
export const insertPush = (
  context: RegistryContext,
  reach: Pick<Reach, "caller">,
  pullFacts: Traffic,
) =>
  insertTraffic(context, reach, "registry.push.v1", pullFacts, {
    desc: RegistryPushSchema,
    message: {
      repository: pullFacts.image.full,
      repoId: pullFacts.repo,
      tag: pullFacts.tag ?? "",
      tagPreviousDigest: pullFacts.previousDigest ?? "",
      digest: pullFacts.digest ?? "",
      unread: pullFacts.unread ?? [],
      ...(pullFacts.error ? { error: pullFacts.error } : {}),
      ...client(context),
    },
  });

/** The statement that writes the event of a pull. */
export const insertPull = (
  context: RegistryContext,
  reach: Pick<Reach, "caller">,
  pullFacts: Traffic,
) =>
  insertTraffic(context, reach, "registry.pull.v1", pullFacts, {
    desc: RegistryPullSchema,
    message: {
      repository: pullFacts.image.full,
      repoId: pullFacts.repo,
      tag: pullFacts.tag ?? "",
      digest: pullFacts.digest ?? "",
      method: context.request.method,
      ...(pullFacts.error ? { error: pullFacts.error } : {}),
      ...client(context),
    },
  });
