// Fields for passwords and codes: an existing one, and a new one with its rule.
import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { limits } from '@roster/contract/limits';

interface PasswordFieldProps extends PasswordInputProps {
  error: string | undefined;
}

export function PasswordField({ error, ...props }: PasswordFieldProps) {
  return (
    <PasswordInput
      required
      error={error}
      // Mantine sets it on every other input.
      aria-invalid={error !== undefined}
      visibilityToggleButtonProps={{ 'aria-label': 'Show password', tabIndex: 0 }}
      {...props}
    />
  );
}

export function NewPassword({ label = 'Password', ...props }: PasswordFieldProps) {
  return (
    <PasswordField
      label={label}
      description={`At least ${limits.passwordLengthMin} characters. Several unrelated words are easy to remember and hard to guess.`}
      autoComplete="new-password"
      {...props}
    />
  );
}
