/**
 * The health check of gRPC (https://github.com/grpc/grpc/blob/master/doc/health-checking.md). For each
 * service it reports whether the service is available and the database responds. It needs no token and reads
 * no row. Watch is UNIMPLEMENTED, which clients treat as healthy, because a stream would have to poll the
 * database.
 */
import { sql } from "drizzle-orm";
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from "../../schema/gen/grpc/health/v1/health_pb.js";
import names from "../../schema/gen/service_names.json" with { type: "json" };
import { notFound } from "../aip/errors.ts";
import { requestIdOf } from "../aip/request_id.ts";
import type { CallAnywhere } from "../auth/call.ts";
import { inEach } from "../auth/databases.ts";
import { findDatabaseFailure, logFailure } from "../rpc/database_failure.ts";
import { plainName } from "../rpc/names.ts";
import type { Handler, Service } from "../rpc/service.ts";

const servedNames = new Map<string, boolean>(
  Object.entries({ "": true, [Health.typeName]: true, ...names }),
);

/** The most characters of an unknown name that an error repeats. Anyone can send a long name. */
const maxShownLength = 200;

async function isUp({ databases, headers }: CallAnywhere): Promise<boolean> {
  try {
    await inEach(databases, (db) => db.run(sql`select 1`));
    return true;
  } catch (thrown) {
    if (!findDatabaseFailure(thrown)) throw thrown;
    logFailure("the database does not respond", thrown, { requestId: requestIdOf(headers) });
    return false;
  }
}

const statusOf = (isServed: boolean) => (isServed ? Status.SERVING : Status.NOT_SERVING);

const checkStatus: Handler<
  typeof Health.method.check.input,
  typeof Health.method.check.output
> = async ({ service }, call) => {
  const isServed = servedNames.get(plainName(service, call.config.vendor));
  if (isServed === undefined) throw notFound("health/Service", service.slice(0, maxShownLength));
  return { status: statusOf(isServed && (await isUp(call))) };
};

const listStatuses: Handler<
  typeof Health.method.list.input,
  typeof Health.method.list.output
> = async (_, call) => {
  const all = await isUp(call);
  const statuses = [...servedNames].map(([name, isServed]) => [
    name,
    { status: statusOf(isServed && all) },
  ]);
  return { statuses: Object.fromEntries(statuses) };
};

/** This proto is not ours and has no options, so its options are here. */
const openRpc = {
  open: true,
  readsBearer: false,
  capabilities: [],
  resource: "",
  unimplementedReason: undefined,
};

export const healthService: Service = {
  desc: Health,
  // Casts, because an Rpc holds its handler without the types of its messages.
  rpcs: [
    { ...openRpc, method: Health.method.check, handle: checkStatus as never },
    { ...openRpc, method: Health.method.list, handle: listStatuses as never },
  ],
};
