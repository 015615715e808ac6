package shop;

import org.springframework.data.jpa.repository.JpaRepository;

public interface MemberRepository extends JpaRepository<Member, Long> {

  long countByShopIdAndRole(Long shopId, Role role);
}
