/**
 * The invite in the address of the page. It is in the fragment, because browsers do not send that part: no log and no
 * other page gets the code.
 */
import { useEffect, useState } from "preact/hooks";

/** The code of an invite, and the organization that a person has to log in to. */
export interface Invite {
  code: string;
  organization: string;
}

/** The link to the console that contains an invite. */
export const inviteLink = ({ code, organization }: Invite): string =>
  `${location.origin}/console#${new URLSearchParams({ invite_code: code, organization })}`;

function readInvite(): Invite | undefined {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const code = parameters.get("invite_code") ?? "";
  return code === "" ? undefined : { code, organization: parameters.get("organization") ?? "" };
}

/** Returns the invite in the address, and a function that removes it there. */
export function useInvite(): [invite: Invite | undefined, forget: () => void] {
  const [invite, setInvite] = useState(readInvite);
  useEffect(() => {
    const read = () => setInvite(readInvite());
    window.addEventListener("hashchange", read);
    return () => window.removeEventListener("hashchange", read);
  }, []);
  const forget = () => {
    history.replaceState(history.state, "", location.pathname + location.search);
    setInvite(undefined);
  };
  return [invite, forget];
}
