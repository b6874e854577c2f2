/** The page of a person without access to any organization: the ways to get some. */
import { useMutation, useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { type Group, ResourceExhausted } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { unlessMissing } from "../data/errors.ts";
import { useClient, useSessionState } from "../data/platform.tsx";
import { Button } from "../elements/button.tsx";
import { CopyLine } from "../elements/copy.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { TextField, violationOf } from "../elements/fields.tsx";
import { Section } from "../elements/page.tsx";
import { addresses } from "../frame/addresses.ts";
import { NewGroupForm } from "./new_group.tsx";

/** Asks the owners of an existing organization for access, accepts an invite, or creates an organization. */
export function NoOrganization() {
  const { data: organization } = useOwnOrganization();
  return (
    <div class="access-none">
      <p class="access-none-lead">
        You are signed in, and you have no access to an organization yet. There are a few ways to
        get it.
      </p>
      {organization && <AskForAccess organization={organization} />}
      <AcceptInvite />
      <Section title="Create an organization">
        <p>It contains your repositories, groups and identities. You become its owner.</p>
        <NewGroupForm parent="" action="Create organization" />
      </Section>
      <SendUid />
    </div>
  );
}

/** The organization of the person's email domain. Null if there is none. */
function useOwnOrganization() {
  const client = useClient();
  return useQuery({
    queryKey: ["groups", "own"],
    queryFn: async () => {
      const { eligible } = await client.groups.checkEligibility();
      if (!eligible) return null;
      const answer = await unlessMissing(client.groups.lookupGroup());
      return answer?.group ?? null;
    },
    staleTime: 300_000,
  });
}

function AskForAccess({ organization: { uid, name } }: { organization: Group }) {
  const client = useClient();
  const request = useMutation({
    mutationFn: (groupUid: string) => client.groups.requestGroupAccess({ groupUid }),
  });
  const isEarly = request.error instanceof ResourceExhausted;
  return (
    <Section title={`Join ${name}`}>
      <p>
        Your email address belongs to <bdi>{name}</bdi>. Ask its owners for access. They see your
        name and your email address, and decide.
      </p>
      {request.isSuccess || isEarly ? (
        <p role="status" class="access-note">
          {isEarly
            ? "You have asked less than 24 hours ago. The owners have your request."
            : "The owners have your request. Reload this page once they have given you access."}
        </p>
      ) : (
        <Button kind="primary" busy={request.isPending} onClick={() => request.mutate(uid)}>
          Ask for access
        </Button>
      )}
      {request.error && !isEarly && <ErrorNotice error={request.error} />}
    </Section>
  );
}

function AcceptInvite() {
  const client = useClient();
  const [, navigate] = useLocation();
  const [code, setCode] = useState("");
  const acceptance = useChange<string>({
    key: ["groups"],
    call: async (text) => {
      const { group } = await client.groupInvites.acceptGroupInvite({ code: text });
      navigate(addresses.repositories(group?.uid));
    },
    done: () => "You have accepted the invite.",
  });
  const error = violationOf(acceptance.error, "code");
  return (
    <Section title="Accept an invite">
      <form
        class="form access-form"
        onSubmit={(event) => {
          event.preventDefault();
          acceptance.mutate(code.trim());
        }}
      >
        <TextField
          label="Code"
          hint="From the person who invited you. A uid of a pending role binding works too."
          value={code}
          onInput={setCode}
          error={error}
          required
        />
        {acceptance.error && !error && <ErrorNotice error={acceptance.error} />}
        <Button type="submit" busy={acceptance.isPending}>
          Accept
        </Button>
      </form>
    </Section>
  );
}

function SendUid() {
  const state = useSessionState();
  if (state.kind !== "signed-in") return null;
  return (
    <Section title="Let an owner give you access">
      <p>An owner of a group can give a role to your identity. Send them its uid:</p>
      <CopyLine text={state.uid} what="uid" />
    </Section>
  );
}
