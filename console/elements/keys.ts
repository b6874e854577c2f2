/** The keys of this machine. */

/** Whether shortcuts begin with ⌘. Elsewhere they begin with Ctrl. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
