/** People who have asked for access to an organization and have no role there yet. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { type Client, type GroupAccessRequest, PermissionDenied } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { shortUid } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { Section } from "../elements/page.tsx";
import { Time } from "../elements/time.tsx";
import { GiveAccessDialog } from "./give_access.tsx";
import type { AccessPlace } from "./place.ts";

/** Requests that are looked at, and for how long, in days. */
const maxRequests = 20;
const age = 30;

interface AccessRequest extends GroupAccessRequest {
  time: string;
}

/** Shows the requests with a button that answers each. Shows nothing if there are none. */
export function AccessRequests({
  group,
  refusal,
}: {
  group: AccessPlace;
  /** Why the person cannot give access here. */
  refusal: string | undefined;
}) {
  const client = useClient();
  const [answered, answer] = useState<AccessRequest>();
  const { data: requests = [] } = useQuery({
    queryKey: ["roleBindings", "access requests", group.uid],
    queryFn: () => readRequests(client, group.uid),
  });
  if (requests.length === 0) return null;
  return (
    <Section title="Requests for access">
      <ul class="access-requests">
        {requests.map((request) => (
          <li key={request.identityUid}>
            <span>
              <bdi>{nameOf(request)}</bdi>{" "}
              <span class="pale">
                asked <Time time={request.time} />
              </span>
            </span>
            <Button refusal={refusal} onClick={() => answer(request)}>
              Give access
            </Button>
          </li>
        ))}
      </ul>
      {answered && (
        <GiveAccessDialog
          group={group}
          start={{ identity: { uid: answered.identityUid ?? "", name: nameOf(answered) } }}
          onClose={() => answer(undefined)}
        />
      )}
    </Section>
  );
}

const nameOf = ({ email, name, identityUid = "" }: GroupAccessRequest) =>
  email || name || shortUid(identityUid);

/** The last request of each person, without the people who have got a role since then. */
async function readRequests(client: Client, organization: string): Promise<AccessRequest[]> {
  const since = new Date(Date.now() - age * 86_400_000).toISOString();
  const types = ["api.iam.group.access_requested.v1"];
  const events = await client.events
    .list({ types, since, subject: organization, pageSize: maxRequests })
    .all(maxRequests)
    .catch((error: Error) => {
      if (error instanceof PermissionDenied) return [];
      throw error;
    });
  const requests = new Map<string, AccessRequest>();
  for (const { body, createTime } of events) {
    const request = (body ?? {}) as GroupAccessRequest;
    const uid = request.identityUid ?? "";
    if (uid !== "" && !requests.has(uid)) requests.set(uid, { ...request, time: createTime });
  }
  const open = await Promise.all(
    [...requests.values()].map(async (request) => {
      const identity = request.identityUid;
      const bindings = client.roleBindings.list({ identity, descendantsOf: organization });
      return (await bindings.all(1)).length === 0 ? [request] : [];
    }),
  );
  return open.flat();
}
