package shop;

public enum Role {
  OWNER,
  GUEST
}
