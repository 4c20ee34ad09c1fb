// Signs out of this session or of all sessions. Afterwards nothing that was read stays in memory.
import { useMutation } from '@tanstack/react-query';
import { isSessionOver } from './api/failure.ts';
import { navigate } from './router.ts';
import { useSessionChange, useSignedIn } from './session.tsx';

export function useSignOut() {
  const { connection } = useSignedIn();
  const changeSession = useSessionChange();
  const leave = () => {
    navigate('#/', { isReplacing: true });
    changeSession(null);
  };
  // A session that is over already counts as signed out.
  const unlessOver = (error: unknown) => {
    if (!isSessionOver(error)) throw error;
    return null;
  };
  return {
    signOut: useMutation({ mutationFn: () => connection.call('signOut', {}).catch(unlessOver), onSuccess: leave }),
    signOutEverywhere: useMutation({
      mutationFn: () => connection.call('signOutEverywhere', {}).catch(unlessOver),
      onSuccess: leave,
    }),
  };
}
