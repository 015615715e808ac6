package shop;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

/** A shop keeps an owner. */
@Service
public class MemberService {

  private final MemberRepository members;

  public MemberService(MemberRepository members) {
    this.members = members;
  }

  @Transactional
  public void leave(Long shopId, Long memberId) {
    if (members.countByShopIdAndRole(shopId, Role.OWNER) < 2) {
      throw new IllegalStateException("The last owner stays");
    }
    members.findById(memberId).orElseThrow().setRole(Role.GUEST);
  }

  @Transactional(isolation = Isolation.SERIALIZABLE)
  public void leaveSerializable(Long shopId, Long memberId) {
    if (members.countByShopIdAndRole(shopId, Role.OWNER) < 2) {
      throw new IllegalStateException("The last owner stays");
    }
    members.findById(memberId).orElseThrow().setRole(Role.GUEST);
  }
}
