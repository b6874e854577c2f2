/** The first page of a person who has no role in an organization yet. */
import { useSessionState } from "../data/platform.tsx";
import { CopyLine } from "../elements/copy.tsx";
import { Page } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";

export function NoGroup() {
  const session = useSessionState();
  return (
    <Page title="Home">
      <Empty title="You are not in an organization yet">
        <p>
          Ask an owner for a role, accept an invite, or create an organization.{" "}
          <a href="/docs/invites">The guide</a> shows how.
        </p>
        {session.kind !== "signed-out" && (
          <>
            <p>An owner needs the uid of your identity:</p>
            <CopyLine text={session.uid} what="uid" />
          </>
        )}
      </Empty>
    </Page>
  );
}
