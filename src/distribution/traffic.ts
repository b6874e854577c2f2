/** The events of pushes and pulls (contract: events, "Other published event types"). */
import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import {
  RegistryPullSchema,
  RegistryPushSchema,
  type RegistryTrafficError,
} from "../../schema/gen/platform/events/v2/registry_traffic_pb.js";
import { rootOf } from "../aip/uid_path.ts";
import type { EventImage } from "../auth/call.ts";
import {
  type CompleteEvent,
  type EventRow,
  insertCompleteEvent,
  rowOfEvent,
} from "../outbox/outbox.ts";
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

function toEvent<Desc extends DescMessage>(
  context: RegistryContext,
  { caller }: Pick<Reach, "caller">,
  type: string,
  { repo, tag, digest, previousDigest }: Traffic,
  body: { desc: Desc; message: MessageInitShape<Desc> },
): CompleteEvent {
  const image: EventImage = {
    repo,
    ...(tag ? { tag } : {}),
    ...(digest ? { digest } : {}),
    ...(previousDigest ? { previousDigest } : {}),
  };
  return {
    type,
    path: "",
    source: context.config.registryUrl,
    audience: "customer",
    subject: repo,
    group: rootOf(repo),
    image,
    actor: { identity: caller?.identity ?? anonymousSubject, act: caller?.act ?? {} },
    body,
  };
}

const writerOf = ({ config, db, now, request: { headers } }: RegistryContext) => ({
  ...{ config, db, now, headers },
});

/** The statement that writes the event of a push. */
export const insertPush = (context: RegistryContext, reach: Pick<Reach, "caller">, push: Traffic) =>
  insertCompleteEvent(
    writerOf(context),
    toEvent(context, reach, "registry.push.v1", push, {
      desc: RegistryPushSchema,
      message: {
        repository: push.image.full,
        repoId: push.repo,
        tag: push.tag ?? "",
        tagPreviousDigest: push.previousDigest ?? "",
        digest: push.digest ?? "",
        unread: push.unread ?? [],
        ...(push.error ? { error: push.error } : {}),
        ...client(context),
      },
    }),
  );

/** The row of the event of a pull, which the queue of pulls carries. */
export const pullEvent = (
  context: RegistryContext,
  reach: Pick<Reach, "caller">,
  pull: Traffic,
): EventRow =>
  rowOfEvent(
    writerOf(context),
    toEvent(context, reach, "registry.pull.v1", pull, {
      desc: RegistryPullSchema,
      message: {
        repository: pull.image.full,
        repoId: pull.repo,
        tag: pull.tag ?? "",
        digest: pull.digest ?? "",
        method: context.request.method,
        ...(pull.error ? { error: pull.error } : {}),
        ...client(context),
      },
    }),
  );
